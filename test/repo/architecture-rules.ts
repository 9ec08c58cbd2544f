// The rules of ARCHITECTURE.md as data. To add a module or an import, change this file and the module's README.md.
import { personWords } from '../docs/forbidden-words.js';

/** What a module may import besides `base`. `cli` and `src/index.ts` may import anything. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  base: [],
  actor: [],
  address: [],
  schema: [],
  api: ['schema'],
  jinja: [],
  chat: ['jinja'],
  weights: [],
  artifact: ['schema', 'weights'],
  tokenizer: [],
  grammar: ['tokenizer'],
  compute: ['actor', 'weights'],
  model: ['compute'],
  engine: ['actor', 'artifact', 'compute', 'model', 'grammar'],
  completion: ['actor', 'chat', 'tokenizer', 'grammar', 'engine'],
  answers: ['api'],
  translation: ['api', 'answers'],
  wire: ['schema', 'api', 'answers', 'completion'],
  signing: ['schema', 'artifact'],
  store: ['artifact', 'weights'],
  convert: ['chat', 'weights', 'artifact', 'compute', 'tokenizer', 'grammar', 'model', 'store'],
  models: [
    'actor',
    'artifact',
    'signing',
    'chat',
    'completion',
    'compute',
    'engine',
    'tokenizer',
    'hub',
    'store',
    'convert',
    'weights',
  ],
  embedding: ['schema', 'engine', 'grammar', 'models', 'wire'],
  http: [],
  endpoint: ['schema', 'api', 'http'],
  grpc: [],
  client: ['grpc'],
  server: ['schema', 'api', 'http', 'endpoint', 'grpc', 'actor', 'completion', 'engine', 'models', 'wire'],
  words: [],
  'pages/data': ['words'],
  'pages/kit': ['pages/data', 'words'],
  'pages/chat': ['pages/data', 'pages/kit'],
  'pages/admin': ['pages/data', 'pages/kit', 'words'],
  'pages/operator': ['pages/data', 'pages/kit', 'words'],
  'pages/account': ['pages/data', 'pages/kit', 'words'],
  relay: ['http', 'address'],
  hub: ['schema', 'http', 'address', 'relay'],
  'yaml-file': ['schema', 'http', 'address'],
  database: [],
  metering: ['database', 'words'],
  billing: ['database', 'metering', 'words'],
  control: ['schema', 'api'],
  alerts: ['schema', 'outgoing', 'database', 'yaml-file', 'endpoint', 'words'],
  telemetry: ['schema', 'outgoing', 'yaml-file'],
  outgoing: ['address'],
  'relay-serving': ['api', 'http', 'endpoint', 'relay', 'metering', 'telemetry'],
  gateway: [
    'schema',
    'api',
    'http',
    'endpoint',
    'actor',
    'address',
    'relay',
    'yaml-file',
    'metering',
    'relay-serving',
    'control',
    'translation',
    'database',
    'alerts',
    'telemetry',
    'words',
  ],
  hosted: [
    'schema',
    'api',
    'http',
    'endpoint',
    'actor',
    'address',
    'relay',
    'yaml-file',
    'relay-serving',
    'control',
    'database',
    'metering',
    'billing',
    'alerts',
    'telemetry',
    'words',
  ],
};

/** Folders of `src` whose folders are modules: one a page, and what pages share. */
export const moduleGroups: readonly string[] = ['pages'];

/** Modules that put the others together and so may import any. */
export const compositionRoots: readonly string[] = ['bin', 'cli'];

/** Folder names that mean a registry: one kind of thing, listed in the folder's `index.ts`. */
export const registryNames: readonly string[] = [
  'architectures',
  'commands',
  'constraints',
  'devices',
  'dialects',
  'formats',
  'parsers',
  'placements',
  'quants',
  'routes',
  'runtimes',
  'samplers',
  'stores',
  'transports',
];

/** Names that several modules declare by design, each group with its reason. All other exported names are declared by one module. */
export const namesakes: readonly { readonly reason: string; readonly names: readonly string[] }[] = [
  {
    reason: 'the gateway and the hosted API import neither each other; both have the part, and suites run over both',
    names: [
      'CONTROL',
      'ContactRules',
      'ControlActor',
      'Credentials',
      'ReadSecret',
      'Resolve',
      'authenticate',
      'checkOperator',
      'crossCheck',
      'csvResponse',
      'isOperator',
      'observeRequest',
      'readCredentials',
      'textChecks',
    ],
  },
  {
    reason: 'the types of the embedding API are those of the wire, written out; a suite compiles one against the other',
    names: [
      'AssistantMessage',
      'ChatCompletion',
      'ChatCompletionChunk',
      'ChatCompletionRequest',
      'ChatMessage',
      'ChoiceLogprobs',
      'ChunkDelta',
      'ContentPart',
      'FormatFields',
      'ResponseFormat',
      'SamplingFields',
      'StreamOptions',
      'TextFormat',
      'TokenLogprob',
      'Tool',
      'ToolCall',
      'ToolCallDelta',
      'Usage',
    ],
  },
  {
    reason: 'a schema of the admin API has the name of what it describes',
    names: [
      'AuditPage',
      'AuditQuery',
      'CheckedText',
      'KeyPage',
      'RequestPage',
      'RequestQuery',
      'ShownKey',
      'ShownUsage',
      'TopKeys',
      'TopQuery',
      'UsageQuery',
    ],
  },
  { reason: 'public entries of the package, each with its own declarations', names: ['CallOptions', 'FinishReason'] },
];

/** Folders of entries with the names of what they stand for, beside registries: two products have `createKey`, and each thread `run`. */
export const namesakeFolders: readonly string[] = ['operations', 'checks', 'outputs'];

/** Folder and file names that say nothing about what is in them. */
export const emptyNames: readonly string[] = [
  'utils',
  'util',
  'helpers',
  'common',
  'core',
  'lib',
  'types',
  'misc',
  'shared',
];

/** A file with fewer lines that only one file of its folder uses belongs into that file. */
export const MIN_SEPARATE_LINES = 45;

/** Shorter files that only one file of their folder uses, each with the reason why it stands alone. */
export const separateFiles: Readonly<Record<string, string>> = {
  'src/actor/supervision/keyed-steps.ts': 'a data structure of its own: its user only calls it',
  'src/cli/exit-codes.ts': 'the table of exit statuses',
  'src/compute/devices/cpu/kernels/known-good.ts': 'the table of tested builds of V8',
  'src/engine/client/deliveries.ts': 'a data structure of its own: its user only calls it',
  'src/grammar/schema/expand/annotations.ts': 'the table of keywords',
  'src/pages/admin/sections.tsx': 'the table of sections',
  'src/pages/operator/sections.tsx': 'the table of sections',
  'src/relay/json/byte-table.ts': 'a table of bytes',
  'src/relay/json/number-states.ts': 'a table of states',
  'src/weights/safetensors/dtypes.ts': 'the table of types',
};

/** Files, or folders with a slash at the end, that may take the machine's time or timers from elsewhere than `base/clock.ts`. */
export const clockFiles: Readonly<Record<string, string>> = {
  'src/base/clock.ts': 'the clock itself',
  'src/pages/kit/page/browser-clock.ts': 'the clock of a browser: base is for Node',
  'src/actor/': 'threads park by the time of the machine, and a timer without work keeps a process alive',
  'src/http/bodies/framed-body.ts':
    'a timer for each piece of thousands of streams, with no closure more; its tests give it milliseconds',
  'src/jinja/template.ts': 'what `strftime_now` of a template says when its caller gives no time',
};

/** Files outside of `cli` that may use `process`, each with the reason. */
export const processFiles: Readonly<Record<string, string>> = {
  'src/actor/process-main.ts': 'the main file of a child process: nobody else can end it',
  'src/hub/settings.ts':
    'HF_TOKEN, HF_ENDPOINT and their like are settings of the hub, which every program that asks it reads',
  'src/base/files/file-lock.ts': 'only the system knows whether the process that holds a lock lives',
};

/** Words of earlier days by what the field calls the thing: comments and names of files say the latter. */
export const inventedWords: ReadonlyMap<RegExp, string> = new Map([
  [/\bmemory banks?\b|\bbanks\b/i, 'memory segment'],
  [/\bshel(f|ves)\b/i, 'registry'],
  [/\b(?:this|that|each|another) (?:room|house)\b/i, 'module'],
  [/\brooms\b/i, 'modules'],
  [/\bpatience\b/i, 'spin budget'],
  [/\bmatch chances\b/i, 'acceptance rates'],
  [/\btext places\b/i, 'prompt lookup'],
  [/\bwaiting room\b/i, 'admission queue'],
  [/\b(?:thread|compute) team\b|\bthe team\b|\bteam's\b/i, 'thread group'],
  [/\bguesses\b/i, 'draft tokens'],
  [/\b(?:desk|board)s?\b/i, 'the state that actors share, or the host of a relay'],
  ...personWords,
]);
