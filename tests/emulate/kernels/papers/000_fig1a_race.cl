// 000, Figure 1a: a data race between neighbouring threads.
__kernel void k(__local int *p) {
    size_t lid = get_local_id(0), size = get_local_size(0);
    p[lid] = lid;  // [w]
    p[lid] = p[(lid + 1) % size];  // [rw]
}

//: k --block 32 --grid 1 --arg local:128 --source-shaped => race.shared w rw, race.shared rw
