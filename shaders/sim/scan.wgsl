// Stage scan: the exclusive prefix sum of the counts says where each cell starts in sorted order. Its last pass also ticks the
// clock.
//
// Reduce, then scan, in two dispatches: no workgroup waits for another, so no adapter can hang. The CPU twin is one
// loop; sums of integers are the same in any order.


// Few threads with many counts each: on a software driver every barrier switches between all threads of a workgroup.
const SCAN_THREADS = 64u;
const PER_THREAD = 64u;
const BLOCK = SCAN_THREADS * PER_THREAD;

var<workgroup> partial: array<u32, SCAN_THREADS>;
var<workgroup> spine: array<u32, SCAN_THREADS>;

// One count for each cell, the frozen agents' being the last, and one more, always 0, whose start is the number of agents.
fn scan_length() -> u32 {
    return frozen_cell() + 2u;
}

// Exclusive prefix sum of one value per thread; the last element of `partial` is the total afterwards.
fn workgroup_scan(thread: u32, value: u32) -> u32 {
    partial[thread] = value;
    for (var stride = 1u; stride < SCAN_THREADS; stride *= 2u) {
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

// The sum of the counts that one thread covers.
fn sum_of_thread(first: u32) -> u32 {
    var sum = 0u;
    for (var k = 0u; k < PER_THREAD; k += 1u) {
        if (first + k < scan_length()) {
            sum += count[first + k];
        }
    }
    return sum;
}

// Those that crowded cells show are what counts of them from here on.
fn take_visible(first: u32) {
    for (var home = first; home < min(first + PER_THREAD, world.cell_count); home += 1u) {
        if (count[home] > world.crowd) {
            count[home] = visible[home];
            // Ready for the next step.
            visible[home] = 0u;
        }
    }
}

@compute @workgroup_size(SCAN_THREADS)
fn scan_reduce(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let block = group.y * groups.x + group.x;
    let first = block * BLOCK + thread * PER_THREAD;
    if (crowds) {
        if (count[crowd_flag()] != 0u) {
            take_visible(first);
        }
    }
    let sum = sum_of_thread(first);
    _ = workgroup_scan(thread, sum);
    if (thread == 0u && block * BLOCK < scan_length()) {
        block_sum[block] = partial[SCAN_THREADS - 1u];
    }
}

// The sums of the blocks before one, as far as one thread adds them up. At most 2^25 cells make 8,193 blocks, so this loops 129
// times.
fn sum_of_blocks(thread: u32, block: u32) -> u32 {
    var sum = 0u;
    if (block * BLOCK < scan_length()) {
        for (var before = thread; before < block; before += SCAN_THREADS) {
            sum += block_sum[before];
        }
    }
    return sum;
}

@compute @workgroup_size(SCAN_THREADS)
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
    // The first thread brings all that is before the block into the scan.
    spine[thread] = sum_of_blocks(thread, block);
    workgroupBarrier();
    var before = 0u;
    if (thread == 0u) {
        for (var k = 0u; k < SCAN_THREADS; k += 1u) {
            before += spine[k];
        }
    }
    let first = block * BLOCK + thread * PER_THREAD;
    let sum = sum_of_thread(first);
    var start = before + workgroup_scan(thread, before + sum);
    for (var k = 0u; k < PER_THREAD; k += 1u) {
        if (first + k < scan_length()) {
            cell_start[first + k] = start;
            start += count[first + k];
            // Ready for the next step.
            count[first + k] = 0u;
        }
    }
}
