"""python3 messages_client.py URL: Anthropic's Python package against a server with the demo model. Prints a line when all is well."""

import sys

import anthropic

client = anthropic.Anthropic(base_url=sys.argv[1], api_key="any", max_retries=0)
question = [{"role": "user", "content": "What is the capital of Norway?"}]
OSLO = "The capital of Norway is Oslo."

whole = client.messages.create(model="demo", max_tokens=50, messages=question, extra_body={"temperature": 0})
assert whole.content[0].text == OSLO, whole
assert (whole.stop_reason, whole.usage.output_tokens) == ("end_turn", 8), whole

with client.messages.stream(model="demo", max_tokens=50, messages=question, extra_body={"temperature": 0}) as stream:
    assert "".join(stream.text_stream) == OSLO
    assert stream.get_final_message().stop_reason == "end_turn"

counted = client.messages.count_tokens(model="demo", messages=question)
assert counted.input_tokens == whole.usage.input_tokens + whole.usage.cache_read_input_tokens, counted

thinking = client.messages.create(
    model="demo",
    max_tokens=200,
    messages=[{"role": "user", "content": "Please compute 59+14."}],
    thinking={"type": "enabled", "budget_tokens": 100},
    extra_body={"temperature": 0},
)
assert [block.type for block in thinking.content] == ["thinking", "text"], thinking
assert thinking.content[1].text == "73", thinking

weather = {
    "name": "get_weather",
    "description": "Get the current weather in a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
messages = [{"role": "user", "content": "Is it warm in Oslo?"}]
asked = {"model": "demo", "max_tokens": 100, "tools": [weather], "extra_body": {"temperature": 0}}
first = client.messages.create(messages=messages, **asked)
assert first.stop_reason == "tool_use", first
result = '{"temperature": 21, "sky": "sunny"}'
messages.append({"role": "assistant", "content": first.content})
messages.append(
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": block.id, "content": result}
            for block in first.content
            if block.type == "tool_use"
        ],
    }
)
told = client.messages.create(messages=messages, **asked).content[0].text
assert "21" in told or "sunny" in told, told

try:
    client.messages.create(model="nobody", max_tokens=5, messages=question)
    raise AssertionError("an unknown model was answered")
except anthropic.NotFoundError as error:
    assert error.body["error"]["type"] == "not_found_error", error

print("anthropic", anthropic.__version__)
