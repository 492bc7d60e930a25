// What the readers say of a file, in Chinese. They say it in English with what they found put in; here each
// sentence stands as the readers write it, with {} where something is put in. A new one shows in English until it
// is here, and a test asks for it.

const archives: Readonly<Record<string, string>> = {
  "a web page without a snapshot inside": "不含快照的网页",
  "an archive within an archive within an archive": "多层嵌套的压缩包",
  "an archive": "压缩包",
  "a table (CSV) of other columns than a profiler writes": "列与 profiler 写出的不同的表格（CSV）",
  "an empty zip archive": "空的 zip 压缩包",
  "a Zstandard archive (unpack it with: zstd -d FILE)": "Zstandard 压缩文件（解包：zstd -d FILE）",
  "an xz archive (unpack it with: xz -d FILE)": "xz 压缩文件（解包：xz -d FILE）",
  "a bzip2 archive (unpack it with: bzip2 -d FILE)": "bzip2 压缩文件（解包：bzip2 -d FILE）",
  "a 7-Zip archive": "7-Zip 压缩包",
  "a program (ELF)": "可执行程序（ELF）",
  "a Parquet file": "Parquet 文件",
  "an image (PNG)": "图片（PNG）",
  "a PDF document": "PDF 文档",
  "a NumPy array": "NumPy 数组",
  "an HDF5 file": "HDF5 文件",
  "a tar archive (unpack it first)": "tar 归档（请先解包）",
  "a file of blanks": "只含空白的文件",
  "an encrypted zip archive": "加密的 zip 压缩包",
  "a zip archive packed in a way that is not read here": "以本工具不支持的方式压缩的 zip 压缩包",
};

const files: Readonly<Record<string, string>> = {
  "the file could not be read: {}": "无法读取该文件：{}",
  "the file could not be read any further: {}": "无法继续读取该文件：{}",
  "the file is empty": "文件为空",
  "the content is of no known format": "内容不属于任何已知格式",
  "this looks like {}, which is not read here": "这看起来是{}，本工具不读取此类文件",
  "this looks like {}": "这看起来是{}",
  "this is not a GE log": "这不是 GE 日志",
  "this is a Git LFS pointer, not the file itself: a clone without Git LFS leaves such a stand-in":
    "这是 Git LFS 指针，而不是文件本身：未安装 Git LFS 的克隆只会留下这样的占位文件",
  "this is a zip archive without a file that can be read here (it holds {})": "该 zip 压缩包内没有可读取的文件（其中有：{}）",
  "the archive around the file is cut or damaged: {}": "文件外层的压缩包被截断或已损坏：{}",
  "this is an SQLite database, which only the module with databases reads": "这是 SQLite 数据库，只有带数据库功能的模块才能读取",
  "the counter side-car is not JSON: {}": "计数器附带文件不是 JSON：{}",
  "the counter side-car holds no counter": "计数器附带文件中没有计数器",
  "expected a JSON object: {}": "应为 JSON 对象：{}",
  "reading the whole file would need about {} of memory, the limit is {}": "读取整个文件约需 {} 内存，限额为 {}",
};

/** What stands where something else was expected. */
const things: Readonly<Record<string, string>> = {
  "nothing (None)": "空值（None）",
  "a truth value": "布尔值",
  "a number": "数字",
  "a text": "文本",
  "a pair of numbers": "一对数字",
  "an object of {}": "{} 的对象",
  "an empty dict": "空字典",
  "a dict with the keys {}": "含键 {} 的字典",
  "a list that begins with {}": "以 {} 开头的列表",
  "a list of other things": "其他内容的列表",
  "an empty list": "空列表",
  "a trace entry": "跟踪条目",
  "a segment": "内存段",
  "a block": "块",
  "stack frames": "调用栈帧",
  "an entry": "条目",
  "expected memo entry {} to have been stored before": "memo 条目 {} 应已在此前存入",
  "expected an opcode, found the byte {}": "应为操作码，实为字节 {}",
  "expected a protocol up to 5, found {}": "协议版本应不超过 5，实为 {}",
  "expected a length, found a negative number": "应为长度，实为负数",
  "expected {}": "应为 {}",
};

const snapshots: Readonly<Record<string, string>> = {
  "the pickle ends in the middle: the file was cut, or the job was stopped while it wrote": "pickle 在中途结束：文件被截断，或作业在写入时被终止",
  "the pickle is damaged: {}": "pickle 已损坏：{}",
  "nothing in a file is ever executed: {} in it was ignored": "文件中的任何内容都不会被执行：其中的 {} 已忽略",
  "events with the action {}, which this program does not know, are kept but not replayed": "动作为 {} 的事件未知，已保留但不参与重放",
  "{} was not a number and is taken as missing": "{} 不是数字，按缺失处理",
  "the file is readable, but holds {}, not a memory snapshot": "文件可读，但内容是 {}，不是内存快照",
  "keys that are not known were skipped: {}": "已跳过未知的键：{}",
  "the same entries stand in several places of the file; they are counted once": "相同的条目在文件中出现多次，只计一次",
  "the same blocks stand in several places of the file; they are counted once": "相同的块在文件中出现多次，只计一次",
  "a list holds {} where {} was expected; skipped": "列表中应为 {1}，实为 {0}，已跳过",
  "the JSON ends where {} was expected": "JSON 在应出现 {} 处结束",
  "the JSON breaks off at line {}, column {}: {}": "JSON 在第 {} 行第 {} 列中断：{}",
  "{}; everything before it was used": "{}；其之前的内容均已使用",
  "keys that were added to a finished entry were skipped": "已跳过追加到已完成条目上的键",
};

const databases: Readonly<Record<string, string>> = {
  "the database is damaged: {}": "数据库已损坏：{}",
  "the database holds its texts in UTF-16": "数据库的文本采用 UTF-16 编码",
  "it is shorter than its header": "比文件头还短",
  "its pages have no possible size": "页大小不合法",
  "its pages have no room": "页内没有可用空间",
  "its pages refer to each other in circles": "页之间循环引用",
  "its tree is too deep": "树的层数过深",
  "a page is of another kind than expected": "页的类型与预期不符",
  "it refers to a page that cannot be": "引用了不可能存在的页",
  "it ends before one of its pages": "在某一页之前就已结束",
  "a row does not fit its page": "某一行超出所在的页",
  "there is not enough memory for the database": "内存不足以容纳该数据库",
  "this is an SQLite database of other tables than are read here": "这是 SQLite 数据库，但其中的表不是本工具读取的",
  "the database holds several runs; the first is read here (hbmlens sql sees all)": "数据库含多次运行，此处读取第一次（hbmlens sql 可见全部）",
  "a database is read whole; leave events out when it is made of the snapshot": "数据库总是整体读取；若要略去事件，请在由快照生成数据库时指定",
  "the counters in the database cannot be read and are left out": "数据库中的计数器无法读取，已略去",
  "blocks of a segment that is not there were left out": "已略去所属内存段不存在的块",
};

const profiles: Readonly<Record<string, string>> = {
  "there is no profiler_info file: the rank is not known": "没有 profiler_info 文件：rank 未知",
  "there is more than one {}; the first is used": "{} 不止一个，使用第一个",
  "a row without a time was left out": "已略去没有时间的行",
  "a row without a size was left out": "已略去没有大小的行",
  "a row ends before it starts": "某行的结束早于开始",
  'the table has no column "{}"; it has: {}': "表中没有列 “{}”；已有的列：{}",
  "a row has {} cells where the header has {}": "某行有 {} 个单元格，而表头有 {} 个",
  '"{}" is what a spreadsheet leaves of a longer number: its last digits are lost': "“{}” 是电子表格改写过的较长数字：末尾数位已丢失",
  'expected a number, found "{}"': "应为数字，实为 “{}”",
  'expected a list of events or an object with "traceEvents", found "{}"': "应为事件列表或含 \"traceEvents\" 的对象，实为 “{}”",
  "{} bytes are not UTF-8 text and read as question marks": "{} 个字节不是 UTF-8 文本，按问号读取",
  "the file breaks off inside its list of events; the {} events before it are used": "文件在事件列表中中断；其之前的 {} 个事件均已使用",
  "expected a colon after a key of the trace's outer object": "trace 最外层对象的键之后应有冒号",
  "expected a key of the trace's outer object: {}": "应为 trace 最外层对象的键：{}",
  "a value of the trace's outer object: {}": "trace 最外层对象的值：{}",
  "an event has no usable duration": "某个事件没有可用的时长",
  "an event has no usable time": "某个事件没有可用的时间",
  "a [memory] event tells no time or no bytes": "某个 [memory] 事件没有时间或字节数",
  "a time is written as {}: its last digits may be lost": "时间写作 {}：末尾数位可能已丢失",
  "an event was left out: {}": "已略去一个事件：{}",
  "one event is longer than {} MiB": "某个事件长于 {} MiB",
};

export const sentences: Readonly<Record<string, string>> = { ...archives, ...files, ...things, ...snapshots, ...databases, ...profiles };

const patterns = Object.entries(sentences)
  .filter(([english]) => english.includes("{}"))
  // The longest first, where one is the beginning of another.
  .sort(([a], [b]) => b.length - a.length)
  .map(([english, chinese]) => [new RegExp(`^${english.split("{}").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("([\\s\\S]*)")}$`), chinese] as const);

/** A sentence of the readers in Chinese, as far as it is known; what was put in may be one itself. */
export function inChinese(said: string): string {
  const whole = sentences[said];
  if (whole !== undefined) return whole;
  for (const [pattern, chinese] of patterns) {
    const found = pattern.exec(said);
    if (!found) continue;
    let next = 0;
    return chinese.replace(/\{(\d?)\}/g, (_, place: string) => inChinese(found[1 + (place === "" ? next++ : Number(place))] ?? ""));
  }
  return said;
}
