# python peer.py MODEL.gguf TEXT WINDOW THREADS
# One JSON line: the ids of the text and the negative log likelihood of each window's tokens but its first, by llama.cpp.
# Needs llama-cpp-python and numpy.
import json
import sys

import numpy as np
from llama_cpp import Llama, llama_cpp

model, text, window, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
llm = Llama(model, n_ctx=window, n_batch=window, n_threads=threads, logits_all=True, verbose=False)
with open(text, encoding="utf-8") as file:
    ids = llm.tokenize(file.read().encode(), add_bos=False, special=False)
sums = []
for start in range(0, len(ids) - window + 1, window):
    tokens = ids[start : start + window]
    llm.reset()
    llm.eval(tokens)
    logits = np.array(llm.scores[: window - 1], dtype=np.float64)
    most = logits.max(axis=1)
    total = np.log(np.exp(logits - most[:, None]).sum(axis=1)) + most
    sums.append(float((total - logits[np.arange(window - 1), tokens[1:]]).sum()))
print(json.dumps({"ids": ids, "sums": sums, "system": llama_cpp.llama_print_system_info().decode()}))
