# python contestant.py MODEL.gguf THREADS
# llama.cpp as a contestant (bench/contest/measures.ts): its C functions called directly, tokens chosen by its own greedy
# sampler. A line of JSON in, a task; a line out, its rate. Needs llama-cpp-python.
import ctypes
import json
import sys
import time

import llama_cpp.llama_cpp as C

path, threads = sys.argv[1], int(sys.argv[2])


# What it logs is not asked for; the callback must outlive the calls.
@C.llama_log_callback
def silent(level, text, user_data):
    pass


C.llama_log_set(silent, ctypes.c_void_p(0))
C.llama_backend_init()
model = C.llama_model_load_from_file(path.encode(), C.llama_model_default_params())
if not model:
    sys.exit(f"llama.cpp cannot load {path}")
sampler = C.llama_sampler_init_greedy()


class Context:
    """Room for `sequences` sequences of up to `tokens` tokens each."""

    def __init__(self, tokens, sequences):
        params = C.llama_context_default_params()
        params.n_ctx = tokens * sequences
        params.n_batch = params.n_ubatch = 512
        params.n_seq_max = sequences
        params.n_threads = params.n_threads_batch = threads
        self.context = C.llama_init_from_model(model, params)
        if not self.context:
            sys.exit("llama.cpp cannot make a context")
        self.memory = C.llama_get_memory(self.context)
        self.batch = C.llama_batch_init(512, 0, 1)
        self.kept = None

    def decode(self, rows):
        """rows: (token, position, sequence, whether its logits are wanted)"""
        batch = self.batch
        batch.n_tokens = len(rows)
        for i, (token, position, sequence, wanted) in enumerate(rows):
            batch.token[i] = token
            batch.pos[i] = position
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = sequence
            batch.logits[i] = wanted
        if C.llama_decode(self.context, batch) != 0:
            sys.exit("llama_decode failed")

    def read(self, prompt, sequence, start):
        """Computes prompt[start:] behind what is cached."""
        for first in range(start, len(prompt), 512):
            last = min(first + 512, len(prompt))
            self.decode([(prompt[i], i, sequence, i == len(prompt) - 1) for i in range(first, last)])

    def run(self, task):
        prompts, count = task["prompts"], task["genTokens"]
        begin = time.perf_counter()
        if task["isPromptKept"]:
            start = len(prompts[0]) - 1 if self.kept == prompts[0] else 0
            C.llama_memory_seq_rm(self.memory, 0, start, -1)
            self.read(prompts[0], 0, start)
            self.kept = prompts[0]
            tokens = [C.llama_sampler_sample(sampler, self.context, -1)]
        else:
            C.llama_memory_clear(self.memory, False)
            self.kept = None
            tokens = []
            for sequence, prompt in enumerate(prompts):
                self.read(prompt, sequence, 0)
                tokens.append(C.llama_sampler_sample(sampler, self.context, -1))
        first = time.perf_counter()
        if task["rateOf"] == "prompt":
            return sum(map(len, prompts)) / (first - begin)
        for step in range(count - 1):
            self.decode([(t, len(prompts[s]) + step, s, True) for s, t in enumerate(tokens)])
            tokens = [C.llama_sampler_sample(sampler, self.context, s) for s in range(len(tokens))]
        return (count - 1) * len(prompts) / (time.perf_counter() - first)


contexts = {}


def context_of(task):
    """Short, long and many conversations have contexts of their own, as a server made for each would have."""
    longest = max(map(len, task["prompts"])) + task["genTokens"]
    key = (256 * (longest // 256 + 1), len(task["prompts"]))
    if key not in contexts:
        contexts[key] = Context(*key)
    return contexts[key]


print(json.dumps({"system": C.llama_print_system_info().decode()}), flush=True)
for line in sys.stdin:
    task = json.loads(line)
    print(json.dumps({"rate": context_of(task).run(task)}), flush=True)
