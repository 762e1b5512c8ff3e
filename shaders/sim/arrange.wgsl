// What crowd, scan, scatter and gather do, by one workgroup in one dispatch: in a small world a dispatch costs more than they do.

@compute @workgroup_size(arrange_threads)
fn arrange(@builtin(local_invocation_index) thread: u32) {
    if (crowds) {
        if (atomicLoad(&count_atomic[crowd_flag()]) != 0u) {
            for (var slot = thread; slot < world.agent_count; slot += arrange_threads) {
                thin(slot);
            }
        }
        storageBarrier();
    }

    // Each of `scan_threads` threads scans the same number of cells, the others none.
    let each = (scan_length() + scan_threads - 1u) / scan_threads;
    let last = min((thread + 1u) * each, scan_length());
    var sum = 0u;
    for (var home = thread * each; home < last; home += 1u) {
        sum += shown_in(home);
    }
    var start = workgroup_scan(thread, sum);
    for (var home = thread * each; home < last; home += 1u) {
        cell_start[home] = start;
        start += shown_in(home);
        // Ready for the next step.
        atomicStore(&count_atomic[home], 0u);
        if (crowds) {
            atomicStore(&visible_atomic[home], 0u);
        }
    }
    storageBarrier();

    if (thread == 0u) {
        tick();
        if (crowds) {
            cell_start[crowd_flag()] = atomicLoad(&count_atomic[crowd_flag()]);
            atomicStore(&count_atomic[crowd_flag()], 0u);
        }
    }
    for (var slot = thread; slot < world.agent_count; slot += arrange_threads) {
        scatter_slot(slot);
    }
    storageBarrier();
    for (var index = thread; index < world.agent_count; index += arrange_threads) {
        gather_from(index);
    }
}

// How many agents a cell shows.
fn shown_in(home: u32) -> u32 {
    let agents = atomicLoad(&count_atomic[home]);
    if (crowds) {
        if (home < world.cell_count && agents > world.crowd) {
            return atomicLoad(&visible_atomic[home]);
        }
    }
    return agents;
}
