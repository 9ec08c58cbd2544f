"""Masks of xgrammar for the tokens of a vocabulary.

The first line on stdin is a JSON list of the tokens in base64, null for those that stand for no text; the second the id of
the token that ends a text. Each further line is a request `{gbnf, texts}`, and each line on stdout its answer: for each text,
a list of token ids, `masks` for each prefix from the empty one on, as base64 of zlib of a bitset (bit `id % 32` of word
`id / 32`). They stop before a token that is refused. A grammar that cannot be read is answered with `error`.

xgrammar imports torch and transformers for kernels and tokenizers that are not used here; its masks are made by a module of
its own over DLPack, which numpy has too. So these imports are given modules without contents.
"""

import base64
import json
import sys
import types
import zlib

import numpy
import tvm_ffi  # noqa: F401  before torch is there: it would ask it for more


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


stand_in(
    "torch",
    __version__="0",
    Tensor=numpy.ndarray,
    LongTensor=numpy.ndarray,
    FloatTensor=numpy.ndarray,
    int32=numpy.int32,
    tensor=lambda value, dtype=None: numpy.array(value, dtype),
)
stand_in(
    "transformers",
    LogitsProcessor=object,
    PreTrainedTokenizerBase=type("PreTrainedTokenizerBase", (), {}),
    PreTrainedTokenizerFast=type("PreTrainedTokenizerFast", (), {}),
)

import xgrammar  # noqa: E402


def masks_of(compiled, size, text):
    matcher = xgrammar.GrammarMatcher(compiled)
    masks = []
    for token in [*text, None]:
        mask = numpy.full((1, (size + 31) // 32), -1, numpy.int32)
        matcher.fill_next_token_bitmask(mask)
        masks.append(base64.b64encode(zlib.compress(mask.tobytes(), 1)).decode())
        if token is None or not mask[0, token >> 5] >> (token & 31) & 1 or not matcher.accept_token(token):
            break
    return masks


def main():
    tokens = [b"" if token is None else base64.b64decode(token) for token in json.loads(sys.stdin.readline())]
    end = json.loads(sys.stdin.readline())
    info = xgrammar.TokenizerInfo(tokens, xgrammar.VocabType.RAW, stop_token_ids=[end])
    compiler = xgrammar.GrammarCompiler(info)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            compiled = compiler.compile_grammar(request["gbnf"])
        except Exception as error:
            print(json.dumps({"error": str(error)}), flush=True)
            continue
        print(json.dumps({"texts": [masks_of(compiled, len(tokens), text) for text in request["texts"]]}), flush=True)


main()
