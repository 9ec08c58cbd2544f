# python compare.py MODEL.gguf THREADS
# One JSON object in, the work; one out, what llama.cpp makes of it with a float32 KV cache. Needs llama-cpp-python and numpy.
# in: {texts: [text], text, window, windows, prompts: [text], tokens}; out: {ids: [[id]], windows: [{ids, nll}],
# prompts: [{ids, continuation: [id], margins: [number]}]}. nll: of a window's tokens but its first, summed. margins: between
# the two best logits of each step.
import json
import sys

import numpy as np
from llama_cpp import Llama

work = json.load(sys.stdin)
window, count = work["window"], work["tokens"]
F32 = 0  # GGML_TYPE_F32
llm = Llama(
    sys.argv[1],
    n_ctx=max(window, 1024),
    n_batch=512,
    n_threads=int(sys.argv[2]),
    n_threads_batch=int(sys.argv[2]),
    type_k=F32,
    type_v=F32,
    logits_all=True,
    verbose=False,
)


def tokenize(text, special, add):
    return llm.tokenize(text.encode(), add_bos=add, special=special)


plain = tokenize(work["text"], False, False)
# What a text begins with, where the file says so.
begin = tokenize("a", False, True)[: -len(tokenize("a", False, False))]
windows = []
size = window - len(begin)
for i in range(work["windows"]):
    ids = begin + plain[i * size : (i + 1) * size]
    llm.reset()
    llm.eval(ids)
    nll = 0.0
    for row in range(len(ids) - 1):
        logits = llm.scores[row].astype(np.float64)
        most = logits.max()
        nll += float(np.log(np.exp(logits - most).sum()) + most - logits[ids[row + 1]])
    windows.append({"ids": ids, "nll": nll})

prompts = []
for prompt in work["prompts"]:
    ids = tokenize(prompt, False, True)
    llm.reset()
    llm.eval(ids)
    continuation, margins = [], []
    for step in range(count):
        logits = llm.scores[llm.n_tokens - 1]
        second, best = np.argsort(logits)[-2:]
        continuation.append(int(best))
        margins.append(float(logits[best] - logits[second]))
        if step + 1 < count:
            llm.eval([int(best)])
    prompts.append({"ids": ids, "continuation": continuation, "margins": margins})

ids = [tokenize(text, True, False) for text in work["texts"]]
print(json.dumps({"ids": ids, "windows": windows, "prompts": prompts}))
