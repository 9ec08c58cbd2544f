/** A schema as people write them: of a tool, a configuration or an answer. */
export type RealSchema = Readonly<Record<string, unknown>>;

const text = (description: string): RealSchema => ({ type: 'string', description });
const choice = (...values: readonly string[]): RealSchema => ({ type: 'string', enum: values });
const list = (items: RealSchema, more: RealSchema = {}): RealSchema => ({ type: 'array', items, ...more });
const whole = (more: RealSchema = {}): RealSchema => ({ type: 'integer', ...more });
const number = (more: RealSchema = {}): RealSchema => ({ type: 'number', ...more });
const flag: RealSchema = { type: 'boolean' };
const maybe = (schema: RealSchema): RealSchema => ({ anyOf: [schema, { type: 'null' }] });
const format = (name: string): RealSchema => ({ type: 'string', format: name });
const pattern = (source: string): RealSchema => ({ type: 'string', pattern: source });
const map = (values: RealSchema): RealSchema => ({ type: 'object', additionalProperties: values });

/** The parameters of a tool: an object with some required properties. */
function tool(properties: RealSchema, required: readonly string[] = [], more: RealSchema = {}): RealSchema {
  return { type: 'object', properties, required, ...more };
}

/** An object as strict structured output wants it: all required, nothing else. */
function strict(properties: RealSchema, more: RealSchema = {}): RealSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false, ...more };
}

/** `if`, `then` and `else`, by entries: an object with `then` looks like a promise. */
function conditional(...parts: readonly RealSchema[]): RealSchema {
  return Object.fromEntries(parts.map((part, i) => [['if', 'then', 'else'][i], part]));
}

const tools: readonly RealSchema[] = [
  tool({ location: text('City and country'), unit: choice('celsius', 'fahrenheit') }, ['location']),
  tool({ query: text('What to search'), limit: whole({ minimum: 1, maximum: 50, default: 10 }) }, ['query']),
  tool({ path: text('File'), offset: whole({ minimum: 0 }), limit: whole({ minimum: 1 }) }, ['path']),
  tool({ path: text('File'), content: text('All of it') }, ['path', 'content']),
  tool({ file_path: text('File'), old_string: text('Old'), new_string: text('New'), replace_all: flag }, [
    'file_path',
    'old_string',
    'new_string',
  ]),
  tool({ command: text('Shell command'), timeout: number({ maximum: 600_000 }), background: flag }, ['command']),
  tool({ pattern: text('Regular expression'), glob: text('Files'), '-i': flag, '-A': whole() }, ['pattern']),
  tool({ url: format('uri'), prompt: text('What to look for') }, ['url', 'prompt']),
  tool(
    { to: list(format('email'), { minItems: 1 }), subject: { type: 'string', maxLength: 200 }, body: text('Text') },
    ['to', 'subject', 'body'],
  ),
  tool(
    { title: text('Title'), start: format('date-time'), end: format('date-time'), attendees: list(format('email')) },
    ['title', 'start', 'end'],
  ),
  tool({ amount: number({ exclusiveMinimum: 0 }), from: pattern('^[A-Z]{3}$'), to: pattern('^[A-Z]{3}$') }, [
    'amount',
    'from',
    'to',
  ]),
  tool({ expression: text('Arithmetic') }, ['expression'], { additionalProperties: false }),
  tool({}, []),
  tool(
    {
      todos: list(
        strict({ content: { type: 'string', minLength: 1 }, status: choice('pending', 'in_progress', 'completed') }),
      ),
    },
    ['todos'],
  ),
  tool({ symbol: pattern('^[A-Z]{1,5}$'), range: choice('1d', '5d', '1mo', '1y', 'max') }, ['symbol']),
  tool({ user_id: format('uuid'), role: choice('admin', 'editor', 'viewer') }, ['user_id', 'role']),
  tool({ order_id: pattern('^ORD-\\d{6,10}$'), reason: maybe(text('Why')) }, ['order_id', 'reason']),
  tool({ latitude: number({ minimum: -90, maximum: 90 }), longitude: number({ minimum: -180, maximum: 180 }) }, [
    'latitude',
    'longitude',
  ]),
  tool(
    {
      table: text('Name'),
      columns: list(text('Column')),
      where: map({ type: ['string', 'number', 'boolean', 'null'] }),
    },
    ['table'],
  ),
  tool({ sql: text('Query'), params: list({ type: ['string', 'number', 'null'] }) }, ['sql']),
  tool({ language: choice('python', 'javascript', 'bash'), code: text('Program') }, ['language', 'code']),
  tool({ hue: number({ minimum: 0, exclusiveMaximum: 360 }), saturation: number({ minimum: 0, maximum: 1 }) }, ['hue']),
  tool({ hex: pattern('^#[0-9a-fA-F]{6}$') }, ['hex']),
  tool(
    {
      repo: pattern('^[\\w.-]+/[\\w.-]+$'),
      number: whole({ minimum: 1 }),
      labels: list(text('Label'), { maxItems: 10 }),
    },
    ['repo', 'number'],
  ),
  tool({ date: format('date'), guests: whole({ minimum: 1, maximum: 20 }), phone: pattern('^\\+?[0-9 ()-]{7,20}$') }, [
    'date',
    'guests',
  ]),
  tool({ action: { const: 'click' }, x: whole(), y: whole(), button: choice('left', 'right', 'middle') }, [
    'action',
    'x',
    'y',
  ]),
  tool({ thought: text('Reasoning'), next: flag, number: whole({ minimum: 1 }), total: whole({ minimum: 1 }) }, [
    'thought',
    'next',
  ]),
  tool(
    {
      ip: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }], type: 'string' },
      port: whole({ minimum: 1, maximum: 65_535 }),
    },
    ['ip'],
  ),
  tool({ host: format('hostname'), ttl: whole({ multipleOf: 60, minimum: 60 }) }, ['host']),
  tool({ metadata: { type: 'object' }, tags: list({ type: 'string', pattern: '^[a-z0-9-]+$' }, { maxItems: 5 }) }),
];

const answers: readonly RealSchema[] = [
  strict({ answer: text('Short'), confidence: number({ minimum: 0, maximum: 1 }) }),
  strict({ steps: list(strict({ explanation: text('Why'), output: text('What') })), final_answer: text('Result') }),
  strict({ name: text('Name'), date: text('Date'), participants: list(text('Person')) }),
  strict({ sentiment: choice('positive', 'negative', 'neutral'), score: number() }),
  strict({
    entities: list({
      anyOf: [
        strict({ kind: { const: 'person' }, name: text('Name') }),
        strict({ kind: { const: 'place' }, lat: number(), lon: number() }),
      ],
    }),
  }),
  strict({
    is_violating: flag,
    category: maybe(choice('violence', 'sexual', 'self_harm')),
    explanation: maybe(text('Why')),
  }),
  strict({
    title: text('Title'),
    ingredients: list(strict({ item: text('What'), grams: number({ minimum: 0 }) }), { minItems: 1 }),
    minutes: whole({ minimum: 0 }),
  }),
  { $ref: '#/$defs/node', $defs: { node: strict({ value: whole(), next: maybe({ $ref: '#/$defs/node' }) }) } },
  {
    ...strict({
      type: choice('div', 'button', 'header', 'section', 'field', 'form'),
      label: text('Label'),
      children: list({ $ref: '#' }),
      attributes: list(strict({ name: text('Name'), value: text('Value') })),
    }),
  },
  strict({ rating: { type: 'integer', enum: [1, 2, 3, 4, 5] }, comment: { type: 'string', maxLength: 500 } }),
  strict({
    invoice: strict({
      number: pattern('^INV-[0-9]{4}$'),
      total: number({ multipleOf: 0.01 }),
      lines: list(strict({ sku: text('SKU'), quantity: whole({ minimum: 1 }), price: number({ minimum: 0 }) })),
    }),
  }),
  strict({
    questions: list(
      strict({
        question: text('Q'),
        options: list(text('A'), { minItems: 4, maxItems: 4 }),
        correct: whole({ minimum: 0, maximum: 3 }),
      }),
      { minItems: 3, maxItems: 3 },
    ),
  }),
  { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 },
  { enum: ['yes', 'no', 'unknown'] },
  { type: 'object', properties: { success: { const: true }, data: {} }, required: ['success'] },
  {
    oneOf: [strict({ ok: { const: true }, value: whole() }), strict({ ok: { const: false }, error: text('Message') })],
  },
  { oneOf: [{ type: 'string' }, { type: 'number' }, list({ type: 'string' })] },
  { anyOf: [tool({ city: text('City') }, ['city']), tool({ zip: pattern('^\\d{5}(-\\d{4})?$') }, ['zip'])] },
  {
    allOf: [{ $ref: '#/definitions/base' }, tool({ extra: flag }, ['extra'])],
    definitions: { base: tool({ id: whole() }, ['id']) },
  },
  {
    title: 'Summary',
    description: 'As TypeBox makes it',
    ...tool({ summary: { type: 'string', minLength: 10, maxLength: 280 } }, ['summary']),
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...strict({ a: number(), b: number(), op: choice('+', '-', '*', '/') }),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...strict({ point: { type: 'array', prefixItems: [number(), number()], items: false, minItems: 2 } }),
  },
  {
    $schema: 'http://json-schema.org/draft-04/schema#',
    ...tool({ age: { type: 'integer', minimum: 0, exclusiveMinimum: true } }, ['age']),
  },
  {
    type: 'object',
    propertyNames: pattern('^[A-Za-z_]\\w*$'),
    additionalProperties: { type: 'string' },
    minProperties: 1,
  },
  map(list(text('Translation'))),
  {
    $defs: { Color: choice('red', 'green', 'blue') },
    ...strict({ favourite: { $ref: '#/$defs/Color' }, others: list({ $ref: '#/$defs/Color' }, { uniqueItems: true }) }),
  },
  {
    ...tool({ country: { default: 'US', enum: ['US', 'NL'] }, postal: {} }),
    ...conditional(
      { properties: { country: { const: 'US' } } },
      { properties: { postal: pattern('^\\d{5}$') } },
      { properties: { postal: pattern('^\\d{4} [A-Z]{2}$') } },
    ),
  },
  tool({ card: whole(), billing: text('Address') }, [], { dependentRequired: { card: ['billing'] } }),
  tool({ foo: { not: { type: 'null' } }, bar: { not: { enum: ['', 'none'] }, type: 'string' } }, ['foo']),
  { type: ['object', 'null'], properties: { id: { type: ['string', 'integer'] } }, required: ['id'] },
];

const packageJson: RealSchema = tool(
  {
    name: { ...pattern('^(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$'), maxLength: 214, minLength: 1 },
    version: pattern('^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$'),
    description: text('What it is'),
    keywords: list(text('Word')),
    license: { anyOf: [choice('MIT', 'Apache-2.0', 'ISC'), { type: 'string' }] },
    author: {
      oneOf: [{ type: 'string' }, tool({ name: text('Name'), email: format('email'), url: format('uri') }, ['name'])],
    },
    bin: { oneOf: [{ type: 'string' }, map({ type: 'string' })] },
    exports: { $ref: '#/$defs/exports' },
    scripts: map({ type: 'string' }),
    dependencies: { $ref: '#/$defs/dependency' },
    devDependencies: { $ref: '#/$defs/dependency' },
    engines: map({ type: 'string' }),
    private: { type: ['boolean', 'string'] },
  },
  ['name', 'version'],
  {
    $defs: {
      dependency: map({ type: 'string' }),
      exports: {
        oneOf: [
          { type: ['string', 'null'] },
          {
            type: 'object',
            patternProperties: { '^[.a-z]': { $ref: '#/$defs/exports' } },
            additionalProperties: false,
          },
        ],
      },
    },
  },
);

const step: RealSchema = {
  allOf: [{ oneOf: [{ required: ['uses'] }, { required: ['run'] }] }],
  ...tool({
    id: pattern('^[_a-zA-Z][a-zA-Z0-9_-]*$'),
    if: { type: ['boolean', 'number', 'string'] },
    name: text('Name'),
    uses: text('Action'),
    run: text('Script'),
    with: map({ type: ['string', 'number', 'boolean'] }),
    env: { $ref: '#/definitions/env' },
  }),
  additionalProperties: false,
};

const workflow: RealSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  ...tool(
    {
      name: text('Name'),
      on: {
        oneOf: [
          { $ref: '#/definitions/event' },
          list({ $ref: '#/definitions/event' }, { minItems: 1 }),
          {
            type: 'object',
            patternProperties: {
              '^(push|pull_request)$': {
                type: ['object', 'null'],
                properties: { branches: list(text('Branch')), paths: list(text('Path')) },
              },
            },
            additionalProperties: false,
          },
        ],
      },
      env: { $ref: '#/definitions/env' },
      jobs: {
        type: 'object',
        minProperties: 1,
        patternProperties: { '^[_a-zA-Z][a-zA-Z0-9_-]*$': { $ref: '#/definitions/job' } },
        additionalProperties: false,
      },
    },
    ['on', 'jobs'],
    { additionalProperties: false },
  ),
  definitions: {
    event: choice('push', 'pull_request', 'workflow_dispatch', 'schedule', 'release'),
    env: map({ type: ['string', 'number', 'boolean'] }),
    job: tool(
      {
        'runs-on': { anyOf: [{ type: 'string' }, list(text('Label'))] },
        needs: { oneOf: [{ type: 'string' }, list(text('Job'), { minItems: 1 })] },
        'timeout-minutes': number({ default: 360 }),
        steps: list({ $ref: '#/definitions/step' }, { minItems: 1 }),
      },
      ['runs-on'],
    ),
    step,
  },
};

const settings: readonly RealSchema[] = [
  packageJson,
  workflow,
  tool({
    compilerOptions: tool({
      target: choice('ES2020', 'ES2022', 'ESNext'),
      module: { anyOf: [choice('NodeNext', 'ESNext'), pattern('^[Nn]ode16$')] },
      strict: { ...flag, default: true },
      lib: list({ anyOf: [choice('ES2022', 'DOM'), { type: 'string' }] }),
      paths: map(list(text('Path'))),
    }),
    include: list(text('Glob')),
    extends: { oneOf: [{ type: 'string' }, list({ type: 'string' })] },
  }),
  tool(
    {
      services: map(
        tool({
          image: text('Image'),
          ports: list({ oneOf: [whole(), { type: 'string' }] }),
          environment: {
            oneOf: [map({ type: ['string', 'number', 'null'] }), list(text('A=b'), { uniqueItems: true })],
          },
          depends_on: list(text('Service')),
          restart: choice('no', 'always', 'on-failure'),
        }),
      ),
    },
    ['services'],
  ),
  tool(
    {
      openapi: pattern('^3\\.1\\.\\d+$'),
      info: tool({ title: text('Title'), version: text('Version') }, ['title', 'version']),
      paths: { type: 'object', patternProperties: { '^/': { type: 'object' } }, additionalProperties: false },
    },
    ['openapi', 'info'],
  ),
  tool({
    host: { anyOf: [format('hostname'), format('ipv4')] },
    port: whole({ minimum: 0, maximum: 65_535 }),
    tls: {
      type: 'object',
      properties: { cert: text('File'), key: text('File') },
      dependentRequired: { cert: ['key'], key: ['cert'] },
    },
  }),
  tool({
    level: choice('debug', 'info', 'warn', 'error'),
    targets: list({
      oneOf: [
        strict({ kind: { const: 'file' }, path: text('File') }),
        strict({ kind: { const: 'syslog' }, address: format('ipv4') }),
        strict({ kind: { const: 'stdout' } }),
      ],
    }),
  }),
  tool(
    {
      replicas: whole({ minimum: 1 }),
      resources: tool({ cpu: pattern('^\\d+m?$'), memory: pattern('^\\d+(Ki|Mi|Gi)$') }),
      selector: map({ type: 'string', maxLength: 63 }),
    },
    ['replicas'],
    { unevaluatedProperties: false },
  ),
  tool({
    rules: {
      type: 'object',
      additionalProperties: {
        oneOf: [
          choice('off', 'warn', 'error'),
          { type: 'integer', minimum: 0, maximum: 2 },
          { type: 'array', prefixItems: [choice('off', 'warn', 'error')], minItems: 1 },
        ],
      },
    },
  }),
  tool(
    {
      schedule: pattern('^(\\S+ ){4}\\S+$'),
      zone: text('Zone'),
      retries: whole({ minimum: 0, maximum: 10 }),
      backoff: number({ minimum: 0.1, maximum: 60 }),
    },
    ['schedule'],
  ),
];

const geometry: RealSchema = {
  $defs: {
    position: { type: 'array', items: number(), minItems: 2, maxItems: 3 },
    point: strict({ type: { const: 'Point' }, coordinates: { $ref: '#/$defs/position' } }),
    line: strict({ type: { const: 'LineString' }, coordinates: list({ $ref: '#/$defs/position' }, { minItems: 2 }) }),
    polygon: strict({
      type: { const: 'Polygon' },
      coordinates: list(list({ $ref: '#/$defs/position' }, { minItems: 4 })),
    }),
    collection: strict({ type: { const: 'GeometryCollection' }, geometries: list({ $ref: '#/$defs/any' }) }),
    any: { oneOf: ['point', 'line', 'polygon', 'collection'].map((name) => ({ $ref: `#/$defs/${name}` })) },
  },
  $ref: '#/$defs/any',
};

const data: readonly RealSchema[] = [
  geometry,
  {
    $ref: '#/$defs/expression',
    $defs: {
      expression: {
        anyOf: [
          number(),
          { type: 'string' },
          strict({
            op: choice('+', '-', '*', '/'),
            left: { $ref: '#/$defs/expression' },
            right: { $ref: '#/$defs/expression' },
          }),
        ],
      },
    },
  },
  {
    $ref: '#/$defs/json',
    $defs: {
      json: {
        anyOf: [
          { type: ['null', 'boolean', 'number', 'string'] },
          list({ $ref: '#/$defs/json' }),
          map({ $ref: '#/$defs/json' }),
        ],
      },
    },
  },
  strict({
    id: format('uuid'),
    createdAt: format('date-time'),
    email: format('email'),
    website: maybe(format('uri')),
    birthday: maybe(format('date')),
  }),
  strict({
    matrix: {
      type: 'array',
      items: { type: 'array', items: number(), minItems: 3, maxItems: 3 },
      minItems: 3,
      maxItems: 3,
    },
  }),
  strict({
    board: list(list({ enum: ['X', 'O', null] }, { minItems: 3, maxItems: 3 }), { minItems: 3, maxItems: 3 }),
    turn: choice('X', 'O'),
  }),
  tool(
    {
      '@context': { const: 'https://schema.org' },
      '@type': choice('Person', 'Organization'),
      name: text('Name'),
      sameAs: list(format('uri')),
    },
    ['@context', '@type'],
  ),
  tool(
    {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'integer', 'null'] },
      method: text('Name'),
      params: { type: ['object', 'array'] },
    },
    ['jsonrpc', 'method'],
  ),
  {
    oneOf: [
      tool({ result: {} }, ['result'], { not: { required: ['error'] } }),
      tool({ error: tool({ code: whole(), message: text('Message') }, ['code', 'message']) }, ['error'], {
        not: { required: ['result'] },
      }),
    ],
  },
  tool({ op: choice('add', 'remove', 'replace'), path: pattern('^(/[^/~]*(~[01][^/~]*)*)*$'), value: {} }, [
    'op',
    'path',
  ]),
  list({
    oneOf: [
      strict({ op: { enum: ['add', 'replace'] }, path: text('Pointer'), value: {} }),
      strict({ op: { const: 'remove' }, path: text('Pointer') }),
      strict({ op: { enum: ['move', 'copy'] }, from: text('Pointer'), path: text('Pointer') }),
    ],
  }),
  tool(
    {
      q: text('Query'),
      filters: {
        type: 'object',
        properties: { price: tool({ min: number({ minimum: 0 }), max: number({ minimum: 0 }) }), inStock: flag },
        additionalProperties: false,
      },
      sort: choice('price', 'rating', 'newest'),
      page: whole({ minimum: 1, default: 1 }),
    },
    ['q'],
  ),
  strict({
    winner: { enum: ['home', 'away', 'draw'] },
    score: {
      type: 'array',
      prefixItems: [whole({ minimum: 0 }), whole({ minimum: 0 })],
      items: false,
      minItems: 2,
      maxItems: 2,
    },
  }),
  strict({ chess: pattern('^([KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=[QRBN])?[+#]?|O-O(-O)?)$') }),
  strict({
    isbn: pattern('^(97[89]-?)?\\d{1,5}-?\\d{1,7}-?\\d{1,7}-?[\\dX]$'),
    year: whole({ minimum: 1450, maximum: 2100 }),
    language: pattern('^[a-z]{2}(-[A-Z]{2})?$'),
  }),
  strict({ password: { type: 'string', pattern: '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,32}$' } }),
  strict({
    slug: { type: 'string', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 64 },
    body: { type: 'string', minLength: 1, maxLength: 4000 },
  }),
  strict({
    percent: number({ minimum: 0, maximum: 100, multipleOf: 0.5 }),
    cents: whole({ multipleOf: 5, minimum: 0, maximum: 10_000 }),
  }),
  strict({ temperature: number({ minimum: -273.15 }), delta: number({ exclusiveMinimum: -1, exclusiveMaximum: 1 }) }),
  tool(
    {
      shape: {
        type: 'object',
        required: ['kind'],
        properties: { kind: choice('circle', 'square') },
        allOf: [
          conditional(
            { properties: { kind: { const: 'circle' } } },
            { required: ['radius'], properties: { radius: number({ exclusiveMinimum: 0 }) } },
          ),
          conditional(
            { properties: { kind: { const: 'square' } } },
            { required: ['side'], properties: { side: number({ exclusiveMinimum: 0 }) } },
          ),
        ],
      },
    },
    ['shape'],
  ),
  list(tool({ id: whole(), name: text('Name') }, ['id']), { contains: tool({ name: { const: 'main' } }, ['name']) }),
  list({ type: 'string' }, { uniqueItems: true, minItems: 1 }),
  tool({ tags: list({ type: 'string' }, { uniqueItems: true }), visibility: choice('public', 'private') }, [
    'visibility',
  ]),
  list(choice('mon', 'tue', 'wed', 'thu', 'fri'), { uniqueItems: true }),
  tool({
    size: { anyOf: [whole({ minimum: 1 }), choice('auto', 'fit')] },
    gap: { oneOf: [whole(), pattern('^\\d+px$')] },
  }),
  {
    type: 'object',
    patternProperties: { '^\\d{4}-\\d{2}-\\d{2}$': number(), '^_': true },
    additionalProperties: false,
  },
  {
    type: 'object',
    properties: { v: { const: 2 } },
    required: ['v'],
    patternProperties: { '^x-': {} },
    additionalProperties: { type: 'string' },
  },
  { ...strict({ a: whole() }), $defs: { unused: { type: 'string' } }, $comment: 'A definition that nothing refers to' },
  { allOf: [tool({ a: text('A') }, ['a']), tool({ b: text('B') }, ['b'])], unevaluatedProperties: false },
  { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png', maxLength: 1_000 },
];

/** Schemas of tools, structured answers, configuration files and data, by their sort. */
export const realSchemas: readonly RealSchema[] = [...tools, ...answers, ...settings, ...data];
