// The openai package of PyPI through both kinds of paths, with the private gateway and our engine behind them.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { runQuickstart } from '../../hosted/run-quickstart.js';
import { installPython } from '../../support/python-packages.js';

const installed = await installPython(['openai==2.8.1']);
const SCRIPT = `
import json, sys
from openai import OpenAI, NotFoundError, AuthenticationError
base, key = sys.argv[1:]
client = OpenAI(base_url=base + "/v1", api_key=key, max_retries=0)
messages = [{"role": "user", "content": "What is the capital of Norway?"}]
whole = client.chat.completions.create(model="demo", messages=messages, temperature=0)
assert "Oslo" in whole.choices[0].message.content
stream = client.chat.completions.create(model="demo", messages=messages, temperature=0, stream=True, stream_options={"include_usage": True})
text, usage = "", None
for chunk in stream:
    usage = chunk.usage or usage
    text += "".join(choice.delta.content or "" for choice in chunk.choices)
assert "Oslo" in text and usage.completion_tokens == whole.usage.completion_tokens
tools = [{"type": "function", "function": {"name": "get_capital", "parameters": {"type": "object", "properties": {"country": {"type": "string"}}, "required": ["country"]}}}]
called = client.chat.completions.create(model="demo", messages=messages, temperature=0, tools=tools, tool_choice="required")
assert "country" in json.loads(called.choices[0].message.tool_calls[0].function.arguments)
thought = client.chat.completions.create(model="demo", temperature=0, messages=[{"role": "user", "content": "What is 12 + 5?"}], extra_body={"thinking": {"type": "enabled"}})
assert thought.usage.completion_tokens_details.reasoning_tokens > 0
assert [model.id for model in client.models.list()] == ["demo"]
for wrong, error in ((client, NotFoundError), (OpenAI(base_url=base + "/v1", api_key="hak_no", max_retries=0), AuthenticationError)):
    try:
        wrong.chat.completions.create(model="none", messages=messages)
        raise SystemExit("no error")
    except error:
        pass
print("done")
`;

it.skipIf('reason' in installed)(
  `openai of PyPI chats, streams, calls tools and thinks by both paths ${'reason' in installed ? installed.reason : ''}`,
  async () => {
    await using page = await runQuickstart();
    const python = 'python' in installed ? installed.python : '';
    for (const path of ['pgw/berlin', 'local']) {
      const args = ['-c', SCRIPT, `${page.url}/${path}`, page.secret];
      const ended = await promisify(execFile)(python, args).catch((error: { stdout: string; stderr: string }) => error);
      expect(ended).toMatchObject({ stdout: 'done\n' });
    }
  },
);
