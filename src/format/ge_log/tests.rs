use super::*;
use crate::model::ge::*;
use crate::model::{Address, Bytes};

const PREFIX: &str = "[INFO] GE(21913,python3):2026-03-04-10:00:00.000.";

fn log(lines: &[&str]) -> GeLog {
    let mut text = String::new();
    for (n, line) in lines.iter().enumerate() {
        text.push_str(&format!("{PREFIX}{n:03} [file.cc:1]100 Function:{line}\n"));
    }
    read(text.as_bytes(), &mut |_| {}).unwrap()
}

fn only(log: &GeLog) -> &GeProcess {
    assert_eq!(log.processes.len(), 1);
    &log.processes[0]
}

#[test]
fn a_placement_of_today() {
    let log = log(&[
        "[IMAS]Set graph_1_3 name[Conv/x] optype[Conv2D] output[1] offset to [512] streamid[1--3] memtype[2] size[1024] realsize[800] noalignsize[790] life time begin[5--3] life time end[7--4294967294] child[1:1:0:0:1] isref[1] batch[b1], block_type[normal]",
    ]);
    assert!(log.warnings.is_empty());
    let graph = &only(&log).graphs[0];
    assert_eq!(log.graph_name(graph), ("graph_1", Some(3)));
    let row = &graph.placements[0];
    assert_eq!((row.kind, row.slot, row.index), (PlacementKind::Set, Slot::Output, 1));
    assert_eq!((log.text(row.name), log.text(row.op_type)), ("Conv/x", "Conv2D"));
    assert_eq!((row.offset, row.stream), (512, StreamPair { stream: 1, other: Some(3) }));
    assert_eq!((row.size, row.real_size, row.no_align_size), (Bytes(1024), Bytes(800), Some(Bytes(790))));
    let life = row.life.unwrap();
    assert_eq!((life.begin, life.end, life.end_own_stream), (3, 4_294_967_294, 7));
    assert_eq!((row.is_ref, log.text(row.batch), log.text(row.block_type)), (Some(true), "b1", "normal"));
}

#[test]
fn older_placements() {
    let log = log(&[
        "[IMAS]Set ge_default_1 name[a] optype[Add] output[0] offset to [0] streamid[0] memtype[2] size[512] realsize[32] noalignsize[4] life time begin[1] life time end[2] child[0:1:0:0:1] isref[0] batch[]",
        "[IMAS]Set ge_default_1 name[b] workspace[0] offset to [512] streamid[-1] size[512] realsize[32] noalignsize[4] life time begin[2] life time end[3] child[0:1:0:0] isref[0].",
        "[IMAS]Set ge_default_1 name[c] outputdesc[0] offset to [1024] streamid[0] size[512] realsize[32] noalignsize[4] life time begin[2] life time end[3] child[1]",
    ]);
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    let graph = &only(&log).graphs[0];
    // Nothing says that the 1 is an id: the name stays whole.
    assert_eq!(log.graph_name(graph), ("ge_default_1", None));
    assert_eq!(graph.placements.len(), 3);
    let [a, b, c] = [0, 1, 2].map(|n| graph.placements[n]);
    assert_eq!((a.mem_type, b.mem_type, b.slot, c.slot), (Some(2), None, Slot::Workspace, Slot::OutputDesc));
    assert_eq!((b.stream.stream, log.text(b.op_type), c.child.count), (-1, "", 1));
}

#[test]
fn summaries_of_today_the_error_path_and_2021() {
    let log = log(&[
        "[IMAS]AfterAssignMemory : allreduce_graph_0 memoffset[268470272], memtype[2], theory_min[268470272], zero_copy[134218752], total_size[268470272], no_reuse[134218752], streams[3], topo_mode[BFS], mop[], io_reuse[0:0], alloc_mode[x], smp[0]",
        "[IMAS]AfterAssignMemory : g_1 memoffset[512], memtype[17], theory_min[0], zero_copy[0], total_size[512], no_reuse[0], streams[1] topo_mode[StableRDFS], mop[a], io_reuse[1:2], smp[4]",
        "[IMAS]AfterAssignMemory : old_2 memoffset[1024], memtype[2]",
        "[IMAS]AfterAssignMemory : older",
    ]);
    assert!(log.warnings.is_empty());
    let graphs = &only(&log).graphs;
    let first = graphs[0].summaries[0];
    assert_eq!((first.memory_size, first.zero_copy), (Bytes(268_470_272), Some(Bytes(134_218_752))));
    assert_eq!((first.streams, log.text(first.topo_mode), log.text(first.smp)), (Some(3), "BFS", "0"));
    let second = graphs[1].summaries[0];
    assert_eq!((second.mem_type, log.text(second.topo_mode)), (17, "StableRDFS"));
    assert_eq!(second.io_reuse, Some(ReuseInput { inputs: 1, outputs: 2 }));
    assert_eq!((graphs[2].summaries[0].theory_min, log.graph_name(&graphs[2])), (None, ("old_2", None)));
    assert_eq!(graphs.len(), 3);
}

#[test]
fn continuous_atomic_and_clearing_lines() {
    let log = log(&[
        "[IMAS]Continuous input : Set g_1 name[c] optype[ConcatD] output[0] offset to [64] stream_id[0] memtype[2] size[0] realsize[32] nopadding[1]",
        "[ContinuousMem][IMAS]Continuous input : Set g_1 name[d] optype[ConcatD] output[0] offset to [96] stream_id[0] memtype[2] size[1024] realsize[600] nopadding[0], block_type[cont]",
        "[IMAS]Continuous output : Set g_1 name[e] optype[Split] output[2] offset to [128] stream_id[0] memtype[2] size[512] realsize[32] nopadding[0].",
        "[IMAS]Atomic output : Set g_1 name[f] optype[A] output[0] offset to [0] stream_id[0] memtype[2] size[512] real_size[8] batch[].",
        "[IMAS]Atomic ordinary workspace : Set g_1 name[f] optype[A] workspace[1] offset to [512] stream_id[0] memtype[2] size[512] real_size[8] batch[].",
        "[AtomicClean][IMAS]Atomic fusion workspace : Set g_1 name[f] optype[A] workspace[2] offset to [1024] stream_id[0] memtype[2] ssize[512] real_size[8] batch[].",
        "[AtomicClean][IMAS]AppendAttrsToMemSetOp : Set g_1 atomic_node name[m] optype[MemSet] workspace[0] offset to [0 512 ] streamid[0] size[512 1024 ]",
    ]);
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    let rows = &only(&log).graphs[0].placements;
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    use PlacementKind::*;
    let expected = [
        ContinuousInput,
        ContinuousInput,
        ContinuousOutput,
        AtomicOutput,
        AtomicWorkspace,
        FusionWorkspace,
        MemSet,
        MemSet,
    ];
    assert_eq!(kinds, expected);
    assert_eq!((rows[0].size, rows[0].no_padding, rows[0].owns_memory()), (Bytes(0), Some(true), false));
    assert_eq!((rows[5].size, rows[5].real_size), (Bytes(512), Bytes(8)));
    assert_eq!((rows[7].offset, rows[7].size, log.text(rows[7].name)), (512, Bytes(1024), "m"));
}

#[test]
fn variables_bases_and_addresses() {
    let log = log(&[
        "[IMAS]AssignVarMem Set session_7 name[w] output[0]offset to [1024] size[2048] realsize[1024].",
        "[IMAS]AssignVarMem Set session_7 name[w2] output[0] offset to [1024] , reuse address of node: w.",
        "[IMAS]AssignVarMem Set session_7 name[r] output[0] addr to [0xff00] size[64]",
        "[IMAS]InitWeightMem graph_3 MallocMemory type[W] memaddr[0x1000] mem_size[512]",
        "[IMAS]InitFeatureMapAndP2PMem graph_3 MallocMemory type[F] memaddr[0x2000] mem_size[4096]Bytes",
        "[IMAS]InitFeatureMap graph_3 MallocMemory type[F] mem_type[2] mem_type_origin[1] mem_addr[0x3000] size[64].",
        "[IMAS]graph_3 type[F] name[a] output[0] offset[512] size[100] memaddr[0x2200]",
        "GetInputDataAddrs:[IMAS]GetInputDataAddrs graph_3 type[C] name[a] input[1] size[100] memaddr[0x2200]",
        "[IMAS]CopyPlainData memcpy graph_3 type[F] output[name] memaddr[0x1] mem_size[4] datasize[4]",
    ]);
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    let process = only(&log);
    let [w, w2, r] = [0, 1, 2].map(|n| process.variables[n]);
    assert_eq!((w.session, w.offset, w.size, w.real_size), (7, 1024, Some(Bytes(2048)), Some(Bytes(1024))));
    assert_eq!((w2.size, w2.reuse_of.map(|id| log.text(id))), (None, Some("w")));
    assert_eq!((r.is_address, r.offset), (true, 0xff00));
    let bases: Vec<_> = process.bases.iter().map(|b| (b.region.as_str(), b.address.0, b.size.0)).collect();
    assert_eq!(bases, [("W", 0x1000, 512), ("F", 0x2000, 4096), ("F", 0x3000, 64)]);
    let [a, c] = [0, 1].map(|n| process.addresses[n]);
    assert_eq!((a.slot, a.offset, a.address), (Slot::Output, Some(512), Address(0x2200)));
    assert_eq!((c.region.as_str(), c.slot, c.offset, c.size), ("C", Slot::Input, None, Some(Bytes(100))));
}

#[test]
fn pools_and_driver() {
    let log = log(&[
        "create caching memory allocator, [allocator_2]",
        "Malloc block device_id:0 size:100 allocate_size:65536 mem_addr:0x1000. span addr 0x55",
        "[KernelTrace][AllocMemHbm_Mat/Mul_1_42][MEM]Alloc memory at stream 3, block 0x9, address 0x1000, size 65536, tensor size 100, index 0",
        "[KernelTrace][FreeMemory_5][MEM]Free memory at stream 3, address 0x1000",
        "[KernelTrace][x][MEM]Local-recycle memory at stream 3, address 0x1000",
        "[MEM]Expand memory pool at stream 0x7, address 0x1000, size 65536, block 0x9. allocator addr 0x8",
        "[MEM]Shrink memory pool at stream 0x7, address 0x1000, block 0x9",
        "MemoryAllocator::MallocMemory device_id = 0, size= 2048.",
        "MallocMemory, func=rtMalloc, size=2048, purpose=feature map, used for op input and output., ptr=0x12c0, device_id=0, module_id=45",
        "MallocMemory, func=rtMalloc, size=4096, purpose=rt2 memory pool",
        "MallocMemory, func=new, size=4096, purpose=host thing",
        "MemoryAllocator::MallocMemory device_id = 1, size= 512.",
        "ActiveMemoryAllocator::MallocMemory device_id = 0, size = 4096 used_count = 1.",
        "rtMallocPhysical success pa_index:4, current physical memory size:2097152 reuse:0, memory_type:2, pg_type:2M.",
        "rtFreePhysical success pa_index:4, current physical memory size:0, pg_type:2M",
        "MemoryAllocator::FreeMemory device_id = 0.",
    ]);
    let free = "[INFO] GE(21913,python3):2026-03-04-10:00:00.001.000 [a.h:1]100 [allocator_2] Free:Free block device_id:0 theory_size_:0 theory_min_size_:65536 allock_size:65536 mem_addr:0x1000.\n[EVENT] GE(21913,python3):2026-03-04-10:00:00.001.001 [a.h:1]100 Print:Device memory   : [alloc count:1 free count:0 total size:382.56M new_va_size:0B real_theory_min:12B theory_min:64.00K reach theory rate:0.00%]\n";
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    let process = only(&log);
    let ops: Vec<_> = process.pool.iter().map(|event| event.op).collect();
    let PoolOp::KernelAlloc { name, stream, size, tensor_size } = ops[2] else { panic!("{ops:?}") };
    assert_eq!((log.text(name), stream, size, tensor_size), ("Mat/Mul_1", 3, Bytes(65536), Some(Bytes(100))));
    assert_eq!(ops[0], PoolOp::Named);
    assert_eq!(ops[1], PoolOp::Malloc { size: Bytes(100), allocated: Bytes(65536) });
    assert_eq!(
        ops[3..],
        [PoolOp::KernelFree { stream: 3 }, PoolOp::Expand { size: Bytes(65536) }, PoolOp::Shrink]
    );
    let driver: Vec<_> = process.driver.iter().map(|event| (event.size.0, event.op)).collect();
    assert_eq!(driver.len(), 6);
    let DriverOp::Malloc { purpose, pointer, module, .. } = driver[0].1 else { panic!() };
    assert_eq!(log.text(purpose), "feature map, used for op input and output.");
    assert_eq!((pointer, module, process.driver[0].device), (Some(Address(0x12c0)), Some(45), Some(0)));
    assert_eq!(driver[2], (512, DriverOp::MallocDevice));
    assert_eq!(driver[4].1, DriverOp::FreePhysical { page: 4, current: Bytes(0) });
    assert_eq!(driver[5].1, DriverOp::Free { pointer: None });

    let log = read(free.as_bytes(), &mut |_| {}).unwrap();
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    let [free, details] = [0, 1].map(|n| only(&log).pool[n]);
    assert_eq!(free.allocator.map(|name| name.to_string()).as_deref(), Some("ge_2"));
    let PoolOp::Details { total, theory_min, real_theory_min } = details.op else { panic!() };
    assert_eq!((total, theory_min, real_theory_min), (Bytes(401_143_235), Bytes(65536), Bytes(12)));
}

#[test]
fn statistics_at_exit() {
    let text = "[EVENT] DRV(5,atc):2026-03-04-10:00:00.000.000 [x.c:1][devmm][_svm_mem_stats_show]MEM_DEV_HUGE_HBM dev0 Mem stats (Bytes).(module_name=GE; module_id=45; current_alloced_size=0; allocated_peak_size=274726912; alloc_cnt=3; free_cnt=3)\n";
    let log = read(text.as_bytes(), &mut |_| {}).unwrap();
    assert!(log.warnings.is_empty(), "{:?}", log.warnings);
    let stat = only(&log).exit_stats[0];
    assert_eq!((log.text(stat.memory), log.text(stat.module)), ("MEM_DEV_HUGE_HBM", "GE"));
    assert_eq!((stat.peak, stat.alloc_count, stat.module_id), (Bytes(274_726_912), 3, Some(45)));
}

#[test]
fn the_comma_form() {
    let text = "Process_11394,g1,optype,HcomAllReduce,name_hcom_1_output_0_offset to ,0,streamid,0,memory_type,2,size,13312,realsize,13312,noalignsize,13312,life time begin,2,life time end,4294967294,child:r:c:z:s,0:0:0:0:1,isref,0,batch,,scope,-1,\n\
        Process_11394,g1,optype,ConcatD,name_x_output_2_offset to ,512,streamid,0,memory_type,2,size,0,realsize,13,reassign input,nopadding,1\n\
        Process_11394,g1,memtype,2,memory_size,17376768(16.57M),reuse rate:0% detail[total:17375424(16.57M) after_reuse:17376768(16.57M) theory_min:17376768(16.57M) no_reuse:17376768(16.57M) atomic:0 continuous:0 streams:1]\n\
        Process_11394,g1,broken\n\
        Process_11394,g1,optype,Add,name_offset to ,0,size,512\n";
    assert!(is_ge_log(text.as_bytes()));
    let log = read(text.as_bytes(), &mut |_| {}).unwrap();
    assert_eq!(log.warnings.get("damaged_row").map(|w| w.count), Some(2));
    let graph = &only(&log).graphs[0];
    assert_eq!(log.text(graph.key), "g1");
    let row = graph.placements[0];
    assert_eq!((log.text(row.name), row.slot, row.index), ("hcom_1", Slot::Output, 0));
    assert_eq!((row.size, row.child.parts, row.scope), (Bytes(13312), [0, 0, 0, 0, 1], None));
    assert_eq!(graph.placements[1].kind, PlacementKind::ContinuousInput);
    let summary = graph.summaries[0];
    assert_eq!((summary.memory_size, summary.operator_total), (Bytes(17_376_768), Some(Bytes(17_375_424))));
    assert_eq!((summary.atomic, summary.streams), (Some(Bytes(0)), Some(1)));
}

#[test]
fn damage_is_counted_and_reading_goes_on() {
    let good = "[IMAS]Set g_1 name[a] output[0] offset to [0] streamid[0] size[512] realsize[32] noalignsize[4] life time begin[1] life time end[2] child[1]";
    let mut text = format!("{PREFIX}000 [f.cc:1]1 F:{}\n", &good[..60]);
    // Another process writes into the middle of a line.
    text.push_str(&format!("{PREFIX}001 [f.cc:1]1 F:{}", &good[..90]));
    text.push_str(&format!("[INFO] GE(7,other):2026-03-04-10:00:00.000.002 [f.cc:1]1 F:{good}\n"));
    text.push_str(&format!("{}\n", &good[90..]));
    text.push_str(&format!("{PREFIX}003 [f.cc:1]1 F:[IMAS]Something new\n"));
    let log = read(text.as_bytes(), &mut |_| {}).unwrap();
    let count = |kind| log.warnings.get(kind).map_or(0, |warning| warning.count);
    assert_eq!((count("cut_line"), count("interleaved_line"), count("unknown_imas_line")), (2, 1, 1));
    assert_eq!(
        log.processes.iter().map(|p| (p.pid, p.graphs.len())).collect::<Vec<_>>(),
        [(7, 1), (21913, 0)]
    );
}

#[test]
fn files_may_come_in_any_order() {
    let line = |n: u32, text: &str| format!("{PREFIX}{n:03} [f.cc:1]1 F:{text}\n");
    let set = "[IMAS]Set g_1 name[a] output[0] offset to [0] streamid[0] memtype[2] size[512] realsize[32] noalignsize[4] life time begin[1] life time end[2] child[0:1:0:0:1] isref[0] batch[], block_type[x]";
    let after = "[IMAS]AfterAssignMemory : g_1 memoffset[512], memtype[2], theory_min[512], zero_copy[0], total_size[512], no_reuse[0], streams[1], topo_mode[BFS], mop[], io_reuse[0:0], smp[0]";
    let early = line(1, set) + &line(2, after);
    let late = line(3, set) + &line(4, after) + &line(4, after);
    for files in [[&early, &late], [&late, &early]] {
        let mut reader = Reader::default();
        for file in files {
            reader.read(file.as_bytes(), &mut |_| {}).unwrap();
        }
        let log = reader.finish();
        // Compiled twice: two entries, and the summary that was written twice counts once.
        let graphs = &only(&log).graphs;
        let shape: Vec<_> = graphs.iter().map(|g| (g.round, g.placements.len(), g.summaries.len())).collect();
        assert_eq!(shape, [(0, 1, 1), (1, 1, 1)]);
        assert!(graphs[0].placements[0].at < graphs[1].placements[0].at);
        assert_eq!(log.files, 2);
    }
}
