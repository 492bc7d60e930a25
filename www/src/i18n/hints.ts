// What the core advises after an error, in Chinese. The core says it in English with the error; each sentence is
// looked up whole, so that a new one shows in English until it is here, and a test asks for it.

export const hints: Readonly<Record<string, string>> = {
  'expected what torch.cuda.memory._dump_snapshot() or torch_npu.npu.memory._dump_snapshot() writes: a dict with "segments" and "device_traces", or a list of segments':
    "应为 torch.cuda.memory._dump_snapshot() 或 torch_npu.npu.memory._dump_snapshot() 写出的内容：含 \"segments\" 与 \"device_traces\" 的字典，或内存段列表",
  "keep only the last events, a range of events, or stacks without native frames; or raise the limit":
    "可以只保留最后若干事件、某个事件范围，或不含本地帧的调用栈；也可以提高限额",
  "sqlite3 FILE 'PRAGMA integrity_check' says more; copy the file again, or export it again":
    "sqlite3 FILE 'PRAGMA integrity_check' 可给出详情；请重新复制或重新导出该文件",
  "sqlite3 FILE .dump | sqlite3 NEW.db makes one in UTF-8": "用 sqlite3 FILE .dump | sqlite3 NEW.db 可转换为 UTF-8 编码的数据库",
  "read are databases made by hbmlens convert, and ascend_pytorch_profiler_<rank>.db of a profiler run with memory recorded":
    "可读取的是 hbmlens convert 生成的数据库，以及记录了内存的 profiler 运行所生成的 ascend_pytorch_profiler_<rank>.db",
  "is this a trace? its list of events seems not to be one": "这是 trace 文件吗？其事件列表看起来不像",
  "check that the first line of the file is its header": "请检查文件第一行是否为表头",
  "copy it again, or record again with enough space on the disk": "请重新复制，或在磁盘空间充足时重新记录",
  "copy it again in binary mode, or record again": "请以二进制方式重新复制，或重新记录",
  "GE logs are plog-*.log files, and imas_mem_graph.csv": "GE 日志是 plog-*.log 文件以及 imas_mem_graph.csv",
  "the program that wrote it was probably stopped before it wrote anything; record again":
    "写出该文件的程序可能在写入前就已停止；请重新记录",
  "run `git lfs pull` in the clone, or download the file itself": "请在克隆的仓库中运行 `git lfs pull`，或下载文件本身",
  "unpack it and open what is inside": "请先解包，再打开其中的文件",
  "accepted are: memory snapshots of PyTorch and torch_npu (.pickle, .json, trace_plot pages), traces and memory tables of profilers (trace_view.json, operator_memory.csv, ...), databases (ascend_pytorch_profiler_0.db, and those that this program makes), GE logs (plog-*.log, imas_mem_graph.csv), also inside gzip or zip":
    "可打开：PyTorch 与 torch_npu 的内存快照（.pickle、.json、trace_plot 页面），profiler 的 trace 与内存表（trace_view.json、operator_memory.csv 等），数据库（ascend_pytorch_profiler_0.db，以及本程序生成的数据库），GE 日志（plog-*.log、imas_mem_graph.csv），也可以在 gzip 或 zip 中",
  'write {"memory_allocated": …, "max_memory_allocated": …, "memory_reserved": …} or the result of torch.cuda.memory_stats()':
    '请写 {"memory_allocated": …, "max_memory_allocated": …, "memory_reserved": …}，或 torch.cuda.memory_stats() 的结果',
};
