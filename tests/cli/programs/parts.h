#ifdef __cplusplus
void add(float *device, int n);
extern "C"
#endif
    int
    devices(void);
