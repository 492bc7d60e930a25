// How to record each kind of input: code to copy. Code reads the same in every language, so only the
// headings around it are in i18n/.

export interface Recipe {
  id: "torch" | "npu" | "profiler" | "ge";
  code: string;
}

export const recipes: readonly Recipe[] = [
  {
    id: "torch",
    code: `import torch

torch.cuda.memory._record_memory_history(max_entries=1_000_000)
train()  # a few steps, or until it runs out of memory
torch.cuda.memory._dump_snapshot("snapshot.pickle")
torch.cuda.memory._record_memory_history(enabled=None)`,
  },
  {
    id: "npu",
    code: `import torch, torch_npu

torch_npu.npu.memory._record_memory_history(max_entries=1_000_000)
train()  # a few steps, or until it runs out of memory
torch_npu.npu.memory._dump_snapshot("snapshot.pickle")
torch_npu.npu.memory._record_memory_history(enabled=None)`,
  },
  {
    id: "profiler",
    code: `import torch_npu
from torch_npu.profiler import profile, schedule, tensorboard_trace_handler

with profile(
    activities=[torch_npu.profiler.ProfilerActivity.CPU, torch_npu.profiler.ProfilerActivity.NPU],
    schedule=schedule(wait=1, warmup=1, active=2),
    on_trace_ready=tensorboard_trace_handler("./result"),
    profile_memory=True,                 # operator_memory.csv, memory_record.csv
    with_stack=True,                     # call stacks in trace_view.json
) as prof:
    for step in range(4):
        train_step()
        prof.step()
# then drop the folder result/*_ascend_pt here`,
  },
  {
    id: "ge",
    code: `export ASCEND_GLOBAL_LOG_LEVEL=1         # info; with atc: --log=info
export ASCEND_HOST_LOG_FILE_NUM=1000     # keep more than the last ten files
export ASCEND_PROCESS_LOG_PATH=$PWD/log
python infer.py
# then drop log/run/plog/*.log (or log/debug/plog) here`,
  },
];
