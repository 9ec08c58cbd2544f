# python tokens.py MODEL.gguf
# {texts: [text]} in, {parsed: [[id]], plain: [[id]]} out: the ids of llama.cpp with control tokens parsed, and with all of a text
# as text; none are added. The file needs no weights. Needs llama-cpp-python.
import json
import sys

from llama_cpp import Llama

work = json.load(sys.stdin)
llm = Llama(sys.argv[1], vocab_only=True, verbose=False)


def ids(special):
    return [llm.tokenize(text.encode(), add_bos=False, special=special) for text in work["texts"]]


json.dump({"parsed": ids(True), "plain": ids(False)}, sys.stdout)
