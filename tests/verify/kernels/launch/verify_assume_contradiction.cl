//unknown
//lockstep: verify --assume 'n > 3' --assume 'n < m' --assume 'm <= 4 && m > 0'
//the assumptions and the launch contradict each other
//
// Under conditions that cannot all hold, nothing is proved, though every query is answered with no.
__kernel void racy(__global int *a, int n, int m) { a[0] = get_global_id(0) + n + m; }
