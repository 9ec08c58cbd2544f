# python answers.py MODEL.gguf THREADS MAX_TOKENS < {"questions": [...], "seeds": [...]}
# One JSON line: for each question its answers, one a seed, by llama.cpp with the defaults of its own command line
# (common/common.h, `common_params_sampling`). Needs llama-cpp-python.
import json
import sys

from llama_cpp import Llama

path, threads, max_tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
asked = json.load(sys.stdin)
llm = Llama(path, n_ctx=2048, n_threads=threads, verbose=False)


def answer(question, seed):
    result = llm.create_chat_completion(
        [{"role": "user", "content": question}],
        seed=seed,
        max_tokens=max_tokens,
        temperature=0.8,
        top_k=40,
        top_p=0.95,
        min_p=0.05,
        typical_p=1.0,
        repeat_penalty=1.0,
        presence_penalty=0.0,
        frequency_penalty=0.0,
    )
    return result["choices"][0]["message"]["content"]


print(json.dumps([[answer(question, seed) for seed in asked["seeds"]] for question in asked["questions"]]))
