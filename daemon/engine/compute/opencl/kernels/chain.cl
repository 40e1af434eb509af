// One link of a chain of dependent launches: to[i] = from[neighbour of i] + 1. A driver that omits the barrier between
// the launches of one submission shows values of an older link. Grid: (CHAIN_SIZE / GROUP, 1).
__kernel GROUP_SIZE void chain(__global const uint* from, __global uint* to) {
    const uint i = get_group_id(0) * GROUP + get_local_id(0);
    to[i] = from[(i + 4099) % CHAIN_SIZE] + 1;
}
