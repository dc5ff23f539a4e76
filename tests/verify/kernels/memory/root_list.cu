//unknown
//lockstep: verify
//it is not known what memory is accessed here
//
// Along a list, two pointers that were read from different places may well be the same.
struct node {
    node *next;
    int count;
};

__global__ void walk(node **heads) {
    for (node *n = heads[blockIdx.x]; n; n = n->next) n->count = blockIdx.x;
}
