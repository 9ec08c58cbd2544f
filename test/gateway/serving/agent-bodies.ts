// Requests in the shapes that coding agents send: Codex by responses, Claude Code by messages.

/** A name of 78 characters, as tools of MCP servers have them. */
export const LONG_NAME = 'mcp__8b383b1d-b46a-4b70-994c-c7c26b866287__check_domain_availability_and_price';

const shell = {
  type: 'function',
  name: 'shell',
  description: 'Runs a command.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' } },
      '10': { type: 'integer' },
      '2': { type: 'integer' },
    },
    required: ['command'],
    additionalProperties: false,
  },
};

const item = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});

/** A conversation of so many turns with calls of a function and of a custom tool, and all kinds of tools that Codex has. */
export function codexBody(turns = 12): Readonly<Record<string, unknown>> {
  const history = Array.from({ length: turns }, (_, turn) => [
    { type: 'reasoning', id: `rs_${turn}`, summary: [], content: [{ type: 'reasoning_text', text: `think ${turn}` }] },
    item('assistant', `step ${turn}`),
    turn % 2 === 0
      ? { type: 'function_call', call_id: `call_${turn}`, name: 'shell', arguments: '{"command":["ls"]}' }
      : { type: 'custom_tool_call', call_id: `call_${turn}`, name: 'apply_patch', input: '*** Begin Patch\n' },
    turn % 2 === 0
      ? { type: 'function_call_output', call_id: `call_${turn}`, output: 'a.txt' }
      : { type: 'custom_tool_call_output', call_id: `call_${turn}`, output: [{ type: 'input_text', text: 'Done' }] },
  ]).flat();
  return {
    instructions: 'You are an agent.',
    input: [
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [{ type: 'namespace', name: 'mcp', tools: [{ ...shell, name: 'look' }] }],
      },
      item('developer', 'Work in /tmp.'),
      item('user', '<environment_context/>'),
      item('user', 'Fix it.'),
      ...history,
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
      item('user', 'Go on.'),
    ],
    tools: [
      shell,
      { ...shell, name: LONG_NAME },
      {
        type: 'custom',
        name: 'apply_patch',
        description: 'Edits files.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/s' },
      },
      { type: 'web_search', external_web_access: false },
      { type: 'local_shell' },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'c0ffee',
    client_metadata: { 'x-codex-installation-id': 'i' },
  };
}

/** A conversation of so many turns with calls in parallel, thinking, an image and a tool that Anthropic's servers run. */
export function claudeBody(turns = 12): Readonly<Record<string, unknown>> {
  const history = Array.from({ length: turns }, (_, turn) => [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: `think ${turn}`, signature: '' },
        { type: 'text', text: `step ${turn}` },
        {
          type: 'tool_use',
          id: `toolu_${turn}a`,
          name: 'Read',
          input: { path: 'a', '10': 1, '2': 12345678901234567n.toString() },
        },
        { type: 'tool_use', id: `toolu_${turn}b`, name: LONG_NAME, input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `toolu_${turn}a`,
          content: [{ type: 'text', text: 'text of a' }],
          cache_control: { type: 'ephemeral' },
        },
        { type: 'tool_result', tool_use_id: `toolu_${turn}b`, content: 'free', is_error: false },
        { type: 'text', text: '<system-reminder>Be quick.</system-reminder>' },
      ],
    },
  ]).flat();
  return {
    max_tokens: 32_000,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch=fa690;' },
      { type: 'text', text: 'You are Claude Code.', cache_control: { type: 'ephemeral' } },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in this image?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
      ...history,
    ],
    tools: [
      { name: 'Read', description: 'Reads a file.', input_schema: { ...shell.parameters, required: [] } },
      { name: LONG_NAME, input_schema: { type: 'object' } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
    ],
    thinking: { type: 'enabled', budget_tokens: 31_999 },
    metadata: { user_id: 'user_0_account__session_0' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  };
}
