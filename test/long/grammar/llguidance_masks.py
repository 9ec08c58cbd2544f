"""Masks of llguidance for the tokens of a tokenizer.

The argument is the path of a tokenizer.json. Each line on stdin is a request in JSON, each line on stdout its answer.

A request has `schema` or `regex`, and one of two lists of token ids:
- `texts`: the answer has for each text `masks`, one for each prefix from the empty one on, as base64 of zlib of a
  bitset (bit `id % 8` of byte `id / 8`), and `ends`: whether the text may end there. Both stop before a token that is
  refused.
- `prefixes`: the answer has for each a whole text in base64 that begins with it, or null where none was found.
A grammar that cannot be read is answered with `error`.
"""

import base64
import json
import random
import sys
import zlib

import llguidance

# White space would differ in every state, so there is none. Escapes are as wide as the options allow.
OPTIONS = {
    "whitespace_flexible": False,
    "item_separator": ",",
    "key_separator": ":",
    "json_allow_general_unicode_escapes": True,
}
# Bytes that end what is open are taken before others, and the first ones more often.
ENDING = b'"}]:0123456789-/abcdef \\'
MAX_STEPS = 400
MAX_TRIES = 5
PREFERENCE = 0.5


def grammar_of(request):
    if "regex" in request:
        return llguidance.LLMatcher.grammar_from_regex(request["regex"])
    return llguidance.LLMatcher.grammar_from_json_schema(json.dumps(request["schema"]), overrides=OPTIONS)


def is_set(mask, token):
    return mask[token >> 3] >> (token & 7) & 1 == 1


def masks_of(start, text):
    matcher = start.deep_copy()
    masks, ends = [], []
    for token in [*text, None]:
        mask = matcher.compute_bitmask()
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        masks.append(base64.b64encode(zlib.compress(mask, 1)).decode())
        ends.append(matcher.is_accepting())
        if token is None or not is_set(mask, token) or not matcher.consume_token(token):
            break
    return {"masks": masks, "ends": ends}


def complete(start, tokenizer, token_of, prefix, chance):
    matcher = start.deep_copy()
    if not matcher.consume_tokens(prefix):
        return None
    taken = list(prefix)
    for _ in range(MAX_STEPS):
        if matcher.is_accepting():
            return base64.b64encode(tokenizer.decode_bytes(taken)).decode()
        mask = matcher.compute_bitmask()
        allowed = [token for token in token_of.values() if is_set(mask, token)]
        if not allowed:
            return None
        allowed = [token_of[byte] for byte in ENDING if token_of[byte] in allowed] or allowed
        token = allowed[0] if chance.random() < PREFERENCE else chance.choice(allowed)
        matcher.consume_token(token)
        taken.append(token)
    return None


def answer(request, tokenizer, token_of):
    start = llguidance.LLMatcher(tokenizer, grammar_of(request), log_level=0)
    if start.is_error():
        return {"error": start.get_error()}
    if "texts" in request:
        return {"texts": [masks_of(start, text) for text in request["texts"]]}
    chance = random.Random(1)
    found = []
    for prefix in request["prefixes"]:
        tries = (complete(start, tokenizer, token_of, prefix, chance) for _ in range(MAX_TRIES))
        found.append(next((text for text in tries if text is not None), None))
    return {"completions": found}


def main():
    tokenizer = llguidance.LLTokenizer(sys.argv[1])
    token_of = {}
    for token in range(tokenizer.vocab_size):
        if tokenizer.is_special_token(token):
            continue
        text = tokenizer.decode_bytes([token])
        if len(text) == 1:
            token_of[text[0]] = token
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), tokenizer, token_of)), flush=True)


main()
