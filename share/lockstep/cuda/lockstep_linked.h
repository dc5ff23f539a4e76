// Host side of files whose device code is linked with that of others (-rdc=true). Each object has its PTX in one
// section, and clang puts kernels and variables into another; the linker makes one of each for a program or a
// library, and the first constructor that runs hands them to the runtime.
#pragma once
#ifdef __LOCKSTEP_FATBIN__
__asm__(".pushsection lockstep_relfatbin,\"a\"\n"
        ".balign 8\n"
        ".incbin \"" __LOCKSTEP_FATBIN__ "\"\n"
        ".balign 8\n"
        ".popsection\n");

#define __LOCKSTEP_HIDDEN__ __attribute__((weak, visibility("hidden")))
extern "C" {
extern __LOCKSTEP_HIDDEN__ const char __start_lockstep_relfatbin[], __stop_lockstep_relfatbin[];
extern __LOCKSTEP_HIDDEN__ const char __start_cuda_offloading_entries[], __stop_cuda_offloading_entries[];
void __lockstepRegisterLinked(const void *images, const void *images_end, const void *entries, const void *entries_end);
__LOCKSTEP_HIDDEN__ int __lockstep_linked_once;
__attribute__((constructor(101))) static void __lockstep_linked() {
    if (__lockstep_linked_once) return;
    __lockstep_linked_once = 1;
    __lockstepRegisterLinked(__start_lockstep_relfatbin, __stop_lockstep_relfatbin, __start_cuda_offloading_entries,
                             __stop_cuda_offloading_entries);
}
}
#undef __LOCKSTEP_HIDDEN__
#endif
