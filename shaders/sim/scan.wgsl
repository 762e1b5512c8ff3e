// Stage scan: the exclusive prefix sum of the counts says where each cell starts in sorted order. Its last pass also ticks the
// clock.
//
// Reduce, then scan, in two dispatches: no workgroup waits for another, so no adapter can hang. The CPU twin is one
// loop; sums of integers are the same in any order.


const MOST_SCAN_THREADS = 256u;

var<workgroup> partial: array<u32, MOST_SCAN_THREADS>;
var<workgroup> before_block: atomic<u32>;

// One count for each cell, and one more, always 0, whose start is the number of agents.
fn scan_length() -> u32 {
    return last_cell() + 2u;
}

// Exclusive prefix sum of one value per thread; the last thread's element of `partial` is the total afterwards.
fn workgroup_scan(thread: u32, value: u32) -> u32 {
    partial[thread] = value;
    for (var stride = 1u; stride < scan_threads; stride *= 2u) {
        workgroupBarrier();
        var sum = partial[thread];
        if (thread >= stride) {
            sum += partial[thread - stride];
        }
        workgroupBarrier();
        partial[thread] = sum;
    }
    workgroupBarrier();
    return partial[thread] - value;
}

// The sum of the counts that one thread covers: of every `apart`-th cell from `first` on.
fn sum_of_thread(first: u32, apart: u32) -> u32 {
    let end = min(first + counts_per_thread * apart, scan_length());
    var sum = 0u;
    for (var home = first; home < end; home += apart) {
        sum += count[home];
    }
    return sum;
}

// Set the count of each crowded cell to the number of agents that it shows.
fn take_visible(first: u32, apart: u32) {
    let end = min(first + counts_per_thread * apart, world.cell_count);
    for (var home = first; home < end; home += apart) {
        if (count[home] > world.crowd) {
            count[home] = visible[home];
            // Ready for the next step.
            visible[home] = 0u;
        }
    }
}

@compute @workgroup_size(scan_threads)
fn scan_reduce(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let block = group.y * groups.x + group.x;
    // Threads side by side read cells side by side.
    let first = block * scan_threads * counts_per_thread + thread;
    if (crowds) {
        if (count[crowd_flag()] != 0u) {
            take_visible(first, scan_threads);
        }
    }
    let sum = sum_of_thread(first, scan_threads);
    _ = workgroup_scan(thread, sum);
    if (thread == 0u && block * scan_threads * counts_per_thread < scan_length()) {
        block_sum[block] = partial[scan_threads - 1u];
    }
}

// This thread's share of the sum of all blocks before `block`. At most 2^25 cells make 32,769 blocks, so this loops at most 129
// times.
fn sum_of_blocks(thread: u32, block: u32) -> u32 {
    var sum = 0u;
    if (block * scan_threads * counts_per_thread < scan_length()) {
        for (var before = thread; before < block; before += scan_threads) {
            sum += block_sum[before];
        }
    }
    return sum;
}

@compute @workgroup_size(scan_threads)
fn scan_apply(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let block = group.y * groups.x + group.x;
    if (block == 0u && thread == 0u) {
        tick();
        if (crowds) {
            cell_start[crowd_flag()] = count[crowd_flag()];
            count[crowd_flag()] = 0u;
        }
    }
    if (thread == 0u) {
        atomicStore(&before_block, 0u);
    }
    workgroupBarrier();
    atomicAdd(&before_block, sum_of_blocks(thread, block));
    let first = (block * scan_threads + thread) * counts_per_thread;
    // The barriers in `workgroup_scan` separate the sums of blocks from the load of their total.
    var start = workgroup_scan(thread, sum_of_thread(first, 1u));
    start += atomicLoad(&before_block);
    let end = min(first + counts_per_thread, scan_length());
    for (var home = first; home < end; home += 1u) {
        cell_start[home] = start;
        start += count[home];
        // Ready for the next step.
        count[home] = 0u;
    }
}
