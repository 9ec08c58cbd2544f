"""python3 responses_client.py URL: OpenAI's Python package and the Responses API of a server with the demo model. Prints a line when all is well."""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1] + "/v1", api_key="any", max_retries=0)
QUESTION = "What is the capital of Norway?"
OSLO = "The capital of Norway is Oslo."

whole = client.responses.create(model="demo", input=QUESTION, temperature=0)
assert whole.output_text == OSLO, whole
assert whole.usage.output_tokens == 8, whole

with client.responses.stream(model="demo", input=QUESTION, temperature=0) as stream:
    pieces = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
    assert pieces == stream.get_final_response().output_text == OSLO

loud = client.responses.create(model="demo", input=QUESTION, instructions="Answer in capital letters.", temperature=0)
assert loud.output_text == OSLO.upper(), loud

thinking = client.responses.create(
    model="demo",
    input="Please compute 59+14.",
    temperature=0,
    reasoning={"effort": "high", "summary": "auto"},
)
assert thinking.output_text == "73", thinking
assert thinking.output[0].summary[0].text.startswith("9+4=13"), thinking

weather = {
    "type": "function",
    "name": "get_weather",
    "description": "Get the current weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "strict": False,
}
items = [{"role": "user", "content": "Is it warm in Oslo?"}]
first = client.responses.create(model="demo", input=items, tools=[weather], temperature=0)
items += first.output
items += [
    {"type": "function_call_output", "call_id": item.call_id, "output": '{"temperature": 21, "sky": "sunny"}'}
    for item in first.output
    if item.type == "function_call"
]
told = client.responses.create(model="demo", input=items, tools=[weather], temperature=0)
assert "21" in told.output_text or "sunny" in told.output_text, told

try:
    client.responses.create(model="demo", input="hi", previous_response_id=first.id)
    raise AssertionError("an earlier response was known")
except openai.BadRequestError as error:
    assert error.param == "previous_response_id", error

print("responses", openai.__version__)
