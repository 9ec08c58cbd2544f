"""python3 client.py URL [KEY]: OpenAI's Python package against a server with the demo model. Prints a line when all is well."""

import sys

import openai

key = sys.argv[2] if len(sys.argv) > 2 else "any"
client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key=key, max_retries=0)
messages = [{"role": "user", "content": "What is the capital of Norway?"}]
OSLO = "The capital of Norway is Oslo."

whole = client.chat.completions.create(model="demo", messages=messages, temperature=0)
assert whole.choices[0].message.content == OSLO, whole

stream = client.chat.completions.create(model="demo", messages=messages, temperature=0, stream=True)
assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == OSLO

thinking = client.chat.completions.create(
    model="demo",
    messages=[{"role": "user", "content": "Please compute 59+14."}],
    temperature=0,
    extra_body={"enable_thinking": True},
)
assert thinking.choices[0].message.content == "73", thinking
assert thinking.choices[0].message.reasoning_content.startswith("9+4=13"), thinking

weather = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the current weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
asked = [{"role": "user", "content": "Is it warm in Oslo?"}]
call = client.chat.completions.create(model="demo", messages=asked, tools=[weather], temperature=0).choices[0]
assert call.finish_reason == "tool_calls", call
asked.append(call.message)
for made in call.message.tool_calls:
    asked.append({"role": "tool", "tool_call_id": made.id, "content": '{"temperature": 21, "sky": "sunny"}'})
told = client.chat.completions.create(model="demo", messages=asked, tools=[weather], temperature=0)
assert "21" in told.choices[0].message.content or "sunny" in told.choices[0].message.content, told

assert [model.id for model in client.models.list()] == ["demo"]
assert len(client.embeddings.create(model="demo", input="hello").data[0].embedding) == 192
begun = client.completions.create(model="demo", prompt="hello", max_tokens=3, temperature=0, extra_body={"ignore_eos": True})
assert begun.usage.completion_tokens == 3, begun

try:
    client.chat.completions.create(model="nobody", messages=messages)
    raise AssertionError("an unknown model was answered")
except openai.NotFoundError as error:
    assert error.code == "model_not_found", error

print("openai", openai.__version__)
