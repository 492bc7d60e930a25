//! One process: it compiles graphs, loads them, runs dynamic ones, and ends.

use super::graph::{GraphTruth, graph};
use super::lines::{Lines, Version};
use super::pools::{DeviceTruth, PoolTruth, driver_malloc, pools};
use super::{GeScript, Random};

/// What is true of a process.
#[derive(Clone, Debug, Default)]
pub struct ProcessTruth {
    pub pid: u64,
    pub graphs: Vec<GraphTruth>,
    pub pools: Vec<PoolTruth>,
    pub device: DeviceTruth,
    /// Variables, and how many of them use another's memory.
    pub variables: u64,
    pub shared_variables: u64,
    /// Addresses printed, and those that are wrong.
    pub addresses: u64,
    pub wrong_addresses: u64,
}

pub(super) fn process(script: &GeScript, pid: u64, random: &mut Random, lines: &mut Lines) -> ProcessTruth {
    let mut truth = ProcessTruth { pid, ..ProcessTruth::default() };
    let main = pid + 1;
    for n in 0..script.graphs {
        let name = format!("train_graph_{n}");
        truth.graphs.push(graph(script.nodes, script.plants, (&name, n + 1), random, lines, main));
    }
    variables(random, lines, main, &mut truth);
    for n in 0..truth.graphs.len() {
        load(script, n, lines, main, &mut truth);
    }
    truth.pools = pools(script.kernels, random, lines, &mut truth.device, main);
    finish(random, lines, main, &mut truth);
    truth
}

fn variables(random: &mut Random, lines: &mut Lines, main: u64, truth: &mut ProcessTruth) {
    let mut offset = 0;
    for n in 0..6 {
        let real = random.between(1, 90) * 512;
        let size = real + 2 * 512;
        lines.info(main, &format!(
            "AssignVarMem:[IMAS]AssignVarMem Set session_1 name[weight_{n}] output[0] offset to [{offset}] size[{size}] realsize[{real}]."
        ));
        offset += size;
    }
    lines.info(
        main,
        "AssignVarMem:[IMAS]AssignVarMem Set session_1 name[weight_again] output[0] offset to [0] , reuse address of node: weight_0.",
    );
    (truth.variables, truth.shared_variables) = (7, 1);
    // Two driver calls of other modules, and one whose purpose nobody knows.
    let calls = [
        ("Auto malloc var and constant op memory", 45, "GE-Variable", offset + 4096),
        ("weights memory, used for inference.", 45, "GE-Weights", 3 << 20),
        ("task info", 45, "GE-other", 65_536),
        ("user buffer", 33, "APP", 5 << 20),
        ("ccl buffer", 3, "HCCL", 1 << 20),
    ];
    for (n, (purpose, module, class, size)) in calls.into_iter().enumerate() {
        driver_malloc(lines, main, purpose, 0x7000_0000_0000 + ((n as u64) << 24), size, module);
        truth.device.malloc(class, size);
    }
    lines.info(
        main,
        "MallocMemory:MallocMemory, func=rtMalloc, size=9000, purpose=something of an old version",
    );
    truth.device.malloc("other", 9000);
    lines.info(main, "MallocMemory:MemoryAllocator::MallocMemory device_id = 0, size= 512.");
    truth.device.malloc("GE-other", 512);
}

fn load(script: &GeScript, n: usize, lines: &mut Lines, main: u64, truth: &mut ProcessTruth) {
    let graph = &truth.graphs[n];
    let number = n as u64 + 1;
    let base = 0x1_2000_0000_0000 + (number << 32);
    let size = graph.memory_size + 1024;
    driver_malloc(lines, main, "feature map, used for op input and output.", base, size, 45);
    truth.device.malloc("GE-StaticGraph", size);
    let bytes = if lines.version == Version::Now { "Bytes" } else { "" };
    lines.event(main, &format!(
        "InitFeatureMapAndP2PMem:[IMAS]InitFeatureMapAndP2PMem graph_{number} MallocMemory type[F] memaddr[{base:#x}] mem_size[{size}]{bytes}"
    ));
    let weights = base + (1 << 30);
    lines.info(main, &format!(
        "InitWeightMem:[IMAS]InitWeightMem graph_{number} MallocMemory type[W] memaddr[{weights:#x}] mem_size[4096]"
    ));
    let mut wrong = if n == 0 { script.wrong_addresses } else { 0 };
    for (name, slot, index, offset, bytes) in &graph.places {
        let shift = if wrong > 0 { 512 } else { 0 };
        wrong -= u64::from(wrong > 0);
        truth.addresses += 1;
        truth.wrong_addresses += u64::from(shift > 0);
        let address = base + offset + shift;
        let line = match lines.version {
            Version::Now => format!(
                "GetAddrs:[IMAS]graph_{number} type[F] name[{name}] {slot}[{index}] offset[{offset}] size[{bytes}] memaddr[{address:#x}]"
            ),
            _ => {
                let kind = if *slot == "output" { "Output" } else { "Workspace" };
                format!(
                    "Get{kind}DataAddrs:[IMAS]Get{kind}DataAddrs graph_{number} type[F] name[{name}] {slot}[{index}] offset[{offset}] size[{bytes}] memaddr[{address:#x}]"
                )
            }
        };
        lines.info(main, &line);
    }
    lines.info(main, &format!(
        "GetInputDataAddrs:[IMAS]graph_{number} type[W] name[constant] input[0] offset[512] size[64] memaddr[{:#x}]",
        weights + 512
    ));
    truth.addresses += 1;
}

/// Some pages go back, then more is taken, so that sum and peak differ; then the driver's account.
fn finish(random: &mut Random, lines: &mut Lines, main: u64, truth: &mut ProcessTruth) {
    let device = &mut truth.device;
    let page = 2 << 20;
    for n in 0..4u64 {
        let pointer = 0x6000_0000_0000 + n * page;
        driver_malloc(lines, main, "page caching", pointer, page, 45);
        let index = 1_000_000 + n;
        lines.info(main, &format!(
            "MallocPhysicalPage:rtMallocPhysical success pa_index:{index}, current physical memory size:{} reuse:0, memory_type:2, pg_type:2M.",
            (n + 1) * page
        ));
        device.malloc("GE-MemoryPool", page);
    }
    for n in 0..random.between(1, 4) {
        lines.info(main, &format!(
            "FreePhysicalPage:rtFreePhysical success pa_index:{}, current physical memory size:{}, pg_type:2M",
            1_000_000 + n,
            (3 - n) * page
        ));
        device.free("GE-MemoryPool", page);
    }
    driver_malloc(lines, main, "user buffer", 0x5000_0000_0000, 1 << 20, 33);
    device.malloc("APP", 1 << 20);
    lines.info(main, "FreeMemory:MemoryAllocator::FreeMemory device_id = 0.");
    lines.line("EVENT", "DRV", main, &format!(
        "[devmm][_svm_mem_stats_show]MEM_DEV_HUGE_HBM dev0 Mem stats (Bytes).(module_name=GE; module_id=45; current_alloced_size=0; allocated_peak_size={}; alloc_cnt=3; free_cnt=3)",
        device.by_class["GE"].1
    ));
}
