// Suites run on compiled output: `new Worker()` cannot load .ts on Node 20.
import { availableParallelism } from 'node:os';
import { BaseSequencer } from 'vitest/node';

/**
 * The projects, by what their suites wait for. A project's names are folders or files of test/ without `.test.ts`; what no list
 * names is `waiting`. test/times/record.ts fails a suite of `pure` that starts a process, a thread or a socket.
 */
const pure = [
  'address/*',
  'alerts/!(documented-receivers|webhook-queue)',
  'answers/*',
  'api/http-answers',
  'artifact/manifest',
  'base/!(cache-directory|idle-heap|node-arguments|realms|young-heap)',
  'bench/!(contest)',
  'billing/cost',
  'chat/*',
  'cli/!(bench-measure|hub-commands|model-commands|server-commands|shell-completion)',
  'completion/!(admission|continued|demo-model|grammars|logprobs|reasoning|template-actor|template-probe|text-encoder)',
  'convert/{gguf-tokenizer,refusals}',
  'database/sqlite-file',
  'declarations/{request-fields,surface}',
  'docs/prose',
  'embedding/schema-output',
  'gateway/audit/*',
  'gateway/{addresses,edit-config,edit-lines,line-diff,media-parts,parse-config,plan-entries,read-fields,runtimes}',
  'grammar/**/*',
  'hosted/upstreams/upstream-breakers',
  'hub/{pace,settings}',
  'metering/!(crash|outage|remote)',
  'models/{model-library,read-template}',
  'models/pull/quants',
  'pages/{chat,data,kit}/*',
  'recorded/join-deltas',
  'relay/!(byte-exact|failures|relayed-body|slow-reader)',
  'relay-serving/*',
  'repo/{architecture-checks,duplicates,thread-files}',
  'signing/!(keys)',
  'store/!(model-facts|two-processes)',
  'tokenizer/*',
  'translation/*',
  'weights/*',
  'wire/*',
];
/** Engines and kernels: they keep every core busy. */
const compute = [
  'completion/*',
  'compute/**/*',
  'demo/*',
  'embedding/!(schema-output|blocked-caller)',
  'engine/*',
  'model/*',
];
/** Suites that look at their own process: its heap, its threads, its priority, its speed. Each has a process of its own. */
const apart = [
  'actor/{leaks,thread-priority}',
  'base/{idle-heap,node-arguments,realms,young-heap}',
  'gateway/hardening-{json,resources}',
];
/** Suites that measure how long something takes: they run after the others, one at a time. */
const timed = ['api/parse-body', 'embedding/blocked-caller', 'faults/conversations', 'server/overload'];

/**
 * What a second Node need not repeat: suites of prose, declarations, rules of the repository, pages in a browser,
 * deployments, bundles, recorded wires, and files that a program writes from answers. Suites that compute without calling
 * Node: conversion, whole models, random mixes of the scheduler. And rules of the products over HTTP (money, keys, names,
 * refusals, fields): contracts of both products, clients, streams, stops, kills, files and threads run again.
 */
const once = [
  '{architecture,{billing,bundles,cli,convert,declarations,deploy,docs,model,recorded,repo}/**/*}',
  'pages/{admin,chat}/**/*',
  'completion/grammars',
  'demo/answers',
  'e2e/{base-model,cli-files,cli-format,cli-gguf,cli-refusals,cli-signing,long-context,terminal,terminal-dialogues}',
  'embedding/{embed,import-in-memory,many-models,signed-models,templates}',
  'engine/{batch-invariance,families-and-quants,least-memory,masks-beside,sampler,sampler-twin,sequence-states,windows}',
  'faults/{held-answers,poison}',
  'gateway/admin/{audit-trail,import-preview,money-budgets,retention,scan,security}',
  'gateway/serving/{agents-behind,budgets,dialects-behind,passed-paths,requests,resilience,translated,translated-body}',
  'grpc/fail-closed',
  'hosted/{chaos/chaos,narrow-pages,page-screens,pages,quickstart,retention/retention,traffic-charts}',
  'hosted/gateways/{crowd,slow-names}',
  'hosted/serving/{account,alerts,engine-behind,media-prices,paid,plain-paths,statements}',
  'private-gateway/{init,init-all-kinds}',
  'server/{agents,callers,control-tokens,dialect-errors,errors,exact-json,formats,hostile-formats,key-order,models}',
  'server/{open-responses,published-schemas,same-in-all-dialects,signed-models,status}',
  'server/ollama/{answers,models,store}',
];
/** The longest suites (2026-11-29). They begin first, or a project would end with one of them alone on the machine. */
const longest = [
  'docs/blocks',
  'pages/admin/browser/admin-page',
  'bundles/bundles',
  'gateway/serving/budgets',
  'faults/poison',
  'pages/chat/browser/chat-page',
  'recorded/recorded',
  'hosted/quickstart',
  'e2e/cli-files',
  'e2e/cli-run',
  'e2e/terminal-dialogues',
  'relay-serving/products/bytes',
  'hosted/retention/retention',
  'hosted/traffic-charts',
  'relay-serving/products/kill',
  'engine/families-and-quants',
  'model/oracle',
  'embedding/embed',
  'engine/least-memory',
  'completion/grammars',
  'engine/batch-invariance',
];
const isRepeat = process.env.TEST_REPEAT !== undefined;
const cores = availableParallelism();
/**
 * Node 20 optimizes functions early, and most suites call few of them often: with this they take 12 % less processor time
 * (2026-11-29). Suites that look at their own process, or at its speed, run without it. Later Nodes do not know the option.
 */
const lateOptimizing = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : [];

/**
 * Bounds of a test that hangs, and of one that waits for something: a machine that does much else takes ten times as
 * long as a quiet one. Suites set no bounds of their own, but for times that a product promises (test/support/elapsed).
 */
const patience = { testTimeout: 900_000, hookTimeout: 900_000, expect: { poll: { timeout: 120_000 } } };

const toPaths = (names) => names.map((name) => `dist/test/${name}.test.js`);

/** vitest's order, with the longest suites of each project before the others. */
class LongestFirst extends BaseSequencer {
  async sort(suites) {
    const paths = toPaths(longest);
    const placeOf = ({ moduleId }) => {
      const at = paths.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at === -1 ? paths.length : at;
    };
    const groupOf = ({ project: { config } }) => config.sequence.groupOrder;
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest's
    const usual = await super.sort(suites);
    return usual.toSorted((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b));
  }
}

/** `isolate`: each suite has a process of its own. Starting it and loading the product costs more than most suites take. */
function project(name, order, { include, exclude = [], setup = false, isolate = false, ...more }) {
  const isTimed = process.env.TEST_TIMES !== undefined;
  return {
    test: {
      name,
      include: toPaths(include),
      exclude: toPaths(['long/**/*', ...exclude, ...(isRepeat ? once : [])]),
      ...patience,
      pool: 'forks',
      isolate,
      execArgv: isolate ? [] : lateOptimizing,
      // Node itself loads what is tested, as for its users. Without vitest's transforms it takes half the time.
      server: { deps: { external: [/\/dist\/(src|bench)\//] } },
      setupFiles: setup || isTimed ? ['dist/test/times/record.js'] : [],
      provide: { project: name },
      sequence: { groupOrder: order },
      ...more,
    },
  };
}

export default {
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      ...(isRepeat ? [] : [project('pure', 0, { include: pure, exclude: timed, setup: true, maxWorkers: cores })]),
      project('compute', 1, { include: compute, exclude: [...pure, ...timed], maxWorkers: cores }),
      project('waiting', 2, {
        include: ['**/*'],
        exclude: [...pure, ...compute, ...apart, ...timed],
        maxWorkers: cores + 2,
      }),
      project('apart', 2, { include: apart, exclude: timed, isolate: true, maxWorkers: cores + 2 }),
      project('timed', 3, { include: timed, isolate: true, maxWorkers: 1 }),
    ],
  },
};
