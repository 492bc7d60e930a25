//! Pools of dynamic graphs over one lower pool, and the driver below it.

use super::Random;
use super::lines::Lines;
use std::collections::BTreeMap;

const SPAN: u64 = 64 << 10;
const PAGE: u64 = 2 << 20;

/// What is true of one allocator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolTruth {
    /// `ge_2`, `rts_1`.
    pub allocator: String,
    pub total: u64,
    pub after_reuse: u64,
    pub theory_min: u64,
    pub real_theory_min: u64,
    pub uses: u64,
    pub live_at_end: u64,
    /// `(operator, bytes asked for)` of each use, in order.
    pub asked: Vec<(String, u64)>,
}

/// What is true of the device memory of a process: sum and peak by class.
#[derive(Clone, Debug, Default)]
pub struct DeviceTruth {
    pub total: u64,
    pub peak: u64,
    pub by_class: BTreeMap<&'static str, (u64, u64)>,
    pub(super) live: BTreeMap<&'static str, u64>,
}

impl DeviceTruth {
    /// Counts a malloc under its class and the classes above it.
    pub(super) fn malloc(&mut self, class: &'static str, bytes: u64) {
        for class in classes(class) {
            let live = self.live.entry(class).or_default();
            *live += bytes;
            let (sum, peak) = self.by_class.entry(class).or_default();
            *sum += bytes;
            *peak = (*peak).max(*live);
        }
        (self.total, self.peak) = self.by_class["total"];
    }

    pub(super) fn free(&mut self, class: &'static str, bytes: u64) {
        for class in classes(class) {
            *self.live.entry(class).or_default() -= bytes;
        }
    }
}

fn classes(class: &'static str) -> impl Iterator<Item = &'static str> {
    let parent = class.starts_with("GE-").then_some("GE");
    ["total", class].into_iter().chain(parent)
}

/// A driver call with its two lines.
pub(super) fn driver_malloc(
    lines: &mut Lines,
    thread: u64,
    purpose: &str,
    pointer: u64,
    size: u64,
    module: u32,
) {
    lines.info(thread, &format!("MallocMemory:MemoryAllocator::MallocMemory device_id = 0, size= {size}."));
    if size > 1024 {
        lines.info(thread, &format!(
            "MallocMemory:MallocMemory, func=rtMalloc, size={size}, purpose={purpose}, ptr={pointer:#x}, device_id=0, module_id={module}"
        ));
    }
}

#[derive(Clone, Debug)]
struct Span {
    address: u64,
    size: u64,
}

struct Live {
    span: Span,
    asked: u64,
    operator: String,
    stream: u64,
}

struct Upper {
    id: u64,
    thread: u64,
    idle: Vec<Span>,
    live: Vec<Live>,
    truth: PoolTruth,
    now: u64,
    real_now: u64,
}

/// Runs kernels over two pools and returns what is true of all three.
pub(super) fn pools(
    kernels: u64,
    random: &mut Random,
    lines: &mut Lines,
    device: &mut DeviceTruth,
    main: u64,
) -> Vec<PoolTruth> {
    let mut rts = PoolTruth { allocator: "rts_1".to_owned(), ..PoolTruth::default() };
    let mut next_address = 0x12c0_0000_0000;
    let mut uppers: Vec<Upper> = (2..4)
        .map(|id| Upper {
            id,
            thread: main + id,
            idle: Vec::new(),
            live: Vec::new(),
            truth: PoolTruth { allocator: format!("ge_{id}"), ..PoolTruth::default() },
            now: 0,
            real_now: 0,
        })
        .collect();
    // The lower pool is only ever named where it prints what it holds.
    lines.info(
        main,
        "[rts_allocator_1] PrintDetails:Allocator memory: [alloc count:0 free count:0 recycle count:0]",
    );
    for upper in &uppers {
        let create = format!("CachingMemAllocator:create caching memory allocator, [allocator_{}]", upper.id);
        lines.info(upper.thread, &create);
    }
    for n in 0..kernels {
        let upper = &mut uppers[random.below(2) as usize];
        if !upper.live.is_empty() && random.one_in(2) {
            let at = random.below(upper.live.len() as u64) as usize;
            let live = upper.live.swap_remove(at);
            release(upper, live, lines);
        } else {
            let asked = random.between(1, 5 * SPAN);
            let operator = format!("MatMul_{n}");
            take(upper, asked, &operator, random.below(3), lines, &mut next_address, &mut rts, device);
        }
    }
    // Each thread gives something back, so that it is known for whom it works; the rest stays.
    for upper in &mut uppers {
        if let Some(live) = upper.live.pop() {
            release(upper, live, lines);
        }
    }
    let mut all: Vec<PoolTruth> = uppers
        .into_iter()
        .map(|upper| PoolTruth { live_at_end: upper.live.len() as u64, ..upper.truth })
        .filter(|truth| truth.uses > 0)
        .collect();
    if rts.uses > 0 {
        all.push(rts);
    }
    all
}

#[expect(clippy::too_many_arguments, reason = "the state of the three layers")]
fn take(
    upper: &mut Upper,
    asked: u64,
    operator: &str,
    stream: u64,
    lines: &mut Lines,
    next_address: &mut u64,
    rts: &mut PoolTruth,
    device: &mut DeviceTruth,
) {
    let size = asked.div_ceil(SPAN) * SPAN;
    let thread = upper.thread;
    let fit = upper.idle.iter().position(|span| span.size >= size);
    let span = match fit {
        Some(at) => {
            let span = upper.idle.swap_remove(at);
            if span.size > size {
                upper.idle.push(Span { address: span.address, size: span.size - size });
            }
            // As GE does, the upper end is handed out.
            Span { address: span.address + span.size - size, size }
        }
        None => {
            let address = *next_address;
            *next_address += size;
            for page in 0..size.div_ceil(PAGE) {
                driver_malloc(lines, thread, "page caching", address + page * PAGE, PAGE, 45);
                let index = (address - 0x12c0_0000_0000) / SPAN * 100 + page;
                lines.info(thread, &format!(
                    "MallocPhysicalPage:rtMallocPhysical success pa_index:{index}, current physical memory size:{} reuse:0, memory_type:2, pg_type:2M.",
                    device.live.get("GE-MemoryPool").copied().unwrap_or(0) + PAGE
                ));
                device.malloc("GE-MemoryPool", PAGE);
            }
            lines.info(thread, &format!(
                "Alloc:Malloc block device_id:0 size:{size} allocate_size:{size} mem_addr:{address:#x}. span addr 0x5500{size:x}"
            ));
            lines.info(
                thread,
                &format!("Alloc:MallocMemory, func=rtMalloc, size={size}, purpose=rt2 memory pool"),
            );
            rts.total += size;
            rts.after_reuse += size;
            rts.theory_min += size;
            rts.real_theory_min += size;
            rts.uses += 1;
            rts.live_at_end += 1;
            rts.asked.push((String::new(), size));
            upper.truth.after_reuse += size;
            Span { address, size }
        }
    };
    let address = span.address;
    lines.info(thread, &format!(
        "Alloc:Malloc block device_id:0 size:{asked} allocate_size:{size} mem_addr:{address:#x}. span addr 0x66"
    ));
    lines.info(thread, &format!(
        "KernelTrace:[KernelTrace][AllocMemHbm_{operator}_{}][MEM]Alloc memory at stream {stream}, block 0x77, address {address:#x}, size {size}, tensor size {asked}, index 0",
        upper.truth.uses + 9
    ));
    let truth = &mut upper.truth;
    truth.total += asked;
    truth.uses += 1;
    truth.asked.push((operator.to_owned(), asked));
    upper.now += size;
    upper.real_now += asked;
    truth.theory_min = truth.theory_min.max(upper.now);
    truth.real_theory_min = truth.real_theory_min.max(upper.real_now);
    upper.live.push(Live { span, asked, operator: operator.to_owned(), stream });
}

fn release(upper: &mut Upper, live: Live, lines: &mut Lines) {
    let Live { span, asked, operator, stream } = live;
    let (thread, address) = (upper.thread, span.address);
    upper.now -= span.size;
    upper.real_now -= asked;
    lines.info(thread, &format!(
        "KernelTrace:[KernelTrace][FreeMemory_{operator}_3][MEM]Free memory at stream {stream}, address {address:#x}"
    ));
    lines.info(thread, &format!(
        "[allocator_{}] Free:Free block device_id:0 theory_size_:{} theory_min_size_:{} allock_size:{} mem_addr:{address:#x}.",
        upper.id, upper.now, upper.truth.theory_min, span.size
    ));
    upper.idle.push(span);
}
