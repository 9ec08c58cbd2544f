import * as fc from 'fast-check';
import { expect } from 'vitest';
import { actorKey, createSupervisor, type SupervisorSpec, type TreeNode } from '../../src/actor/index.js';
import type { Clock } from '../../src/base/index.js';
import type { WorkerBee } from './fixtures/worker-bee.js';
import { SupervisorModel, type ModelActor, type ModelNode, type ModelSupervisor } from './supervisor-model.js';
import { bee } from './tree.js';

/** The shape of a random tree, before its nodes get ids. */
export type Shape =
  | { readonly restart: 'permanent' | 'transient' | 'temporary' }
  | {
      readonly strategy: SupervisorSpec['strategy'];
      readonly intensity: number;
      readonly children: readonly Shape[];
    };

type SupervisorShape = Extract<Shape, { children: unknown }>;

/** Something done to the tree; `at` picks an actor. */
export type Command =
  | { readonly type: 'crash' | 'kill' | 'exit' | 'restart'; readonly at: number }
  | { readonly type: 'wait'; readonly ms: number };

const PERIOD_MS = 1_000;

const { tree: shapes } = fc.letrec<{ tree: SupervisorShape; node: Shape }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ restart: fc.constantFrom('permanent', 'transient', 'temporary') }),
    tie('tree'),
  ),
  tree: fc.record({
    strategy: fc.constantFrom('oneForOne', 'oneForAll', 'restForOne'),
    intensity: fc.nat(3),
    children: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
  }),
}));

const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('crash', 'kill', 'exit', 'restart'), at: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('wait'), ms: fc.integer({ min: 1, max: 1_500 }) }) },
  ),
  { maxLength: 16 },
);

/** A clock that stands still until it is told otherwise; its timers never fire. */
function createStillClock(): Clock & { nowMsValue: number } {
  return {
    nowMsValue: 0,
    nowMs() {
      return this.nowMsValue;
    },
    unixSeconds: () => 0,
    after: () => () => {},
  };
}

function toSpec(shape: SupervisorShape, id: string): SupervisorSpec {
  return {
    id,
    strategy: shape.strategy,
    intensity: shape.intensity,
    periodMs: PERIOD_MS,
    backoffMs: { first: 0, max: 0 },
    children: shape.children.map((child, i) =>
      'children' in child
        ? toSpec(child, `${id}.${i}`)
        : bee({ id: `${id}.${i}`, placement: 'inline', restart: child.restart }),
    ),
  };
}

function toModel(shape: SupervisorShape, id: string): ModelSupervisor {
  const children = shape.children.map((child, i): ModelNode =>
    'children' in child
      ? toModel(child, `${id}.${i}`)
      : { id: `${id}.${i}`, restart: child.restart, state: 'stopped', starts: 0 },
  );
  const { strategy, intensity } = shape;
  return { id, strategy, intensity, periodMs: PERIOD_MS, children, state: 'stopped', starts: 0, restarts: [] };
}

function actorsOf(node: ModelNode): ModelActor[] {
  return 'children' in node ? node.children.flatMap(actorsOf) : [node];
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Longest that a tree of inline actors may take to come to rest, in milliseconds. */
const REST_MS = 10_000;

/** Turns the event loop until `resting`, and a few times more to let come what should not. */
async function settle(resting: () => boolean): Promise<void> {
  const end = performance.now() + REST_MS;
  while (!resting() && performance.now() < end) await tick();
  for (let turns = 0; turns < 3; turns++) await tick();
}

function states(node: TreeNode): Record<string, boolean> {
  const own = { [node.id]: node.state === 'running' };
  return node.children.reduce((all, child) => ({ ...all, ...states(child) }), own);
}

function modelStates(node: ModelNode): Record<string, boolean> {
  const own = { [node.id]: node.state === 'running' };
  const children = 'children' in node ? node.children : [];
  return children.reduce((all, child) => ({ ...all, ...modelStates(child) }), own);
}

/** One random tree under one random sequence of commands, beside the model. */
async function runSequence(shape: SupervisorShape, sequence: readonly Command[]): Promise<void> {
  const clock = createStillClock();
  const log: string[] = [];
  const spec = { ...toSpec(shape, 'top'), clock };
  const supervisor = await createSupervisor(spec, (event) => log.push(`${event.type} ${event.id}`));
  const model = new SupervisorModel(toModel(shape, 'top'));
  const actors = actorsOf(model.root);
  expect(log).toEqual(model.log);

  for (const command of sequence) {
    if (command.type === 'wait') {
      clock.nowMsValue += command.ms;
      model.nowMs += command.ms;
      continue;
    }
    const actor = actors[command.at % Math.max(1, actors.length)];
    if (actor === undefined) continue;
    const ref = supervisor.ref(actorKey<WorkerBee>(actor.id));
    const wasRunning = actor.state === 'running';
    if (command.type === 'restart') {
      await supervisor.restart(actor.id).catch(() => {});
      model.restart(actor);
    } else {
      if (command.type === 'crash') await ref.crash().catch(() => {});
      else if (command.type === 'exit') await ref.exitInOrder().catch(() => {});
      else if (wasRunning) supervisor.kill(actor.id);
      model.end(actor, command.type === 'exit');
    }
    await settle(() => log.length >= model.log.length);
    expect(log).toEqual(model.log);
    expect(states(supervisor.tree())).toEqual(modelStates(model.root));
    expect(supervisor.ready).toBe(model.root.state === 'running');
    if (model.root.state === 'escalated') {
      await expect(ref.add(1)).rejects.toMatchObject({ code: 'supervisor_escalated' });
    }
  }
  await supervisor.stop();
  model.stop();
  expect(log).toEqual(model.log);
  expect(states(supervisor.tree())).toEqual(modelStates(model.root));
}

/** Checks `numRuns` random trees and sequences against the model. */
export async function checkSupervisor(numRuns: number): Promise<void> {
  await fc.assert(fc.asyncProperty(shapes, commands, runSequence), { numRuns });
}

/**
 * The same commands in bursts, none waited for: whatever the order, the tree ends whole or escalated, and stops.
 */
export async function checkSupervisorBursts(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(shapes, commands, async (shape, sequence) => {
      const clock = createStillClock();
      const supervisor = await createSupervisor({ ...toSpec(shape, 'top'), clock });
      const actors = actorsOf(toModel(shape, 'top'));
      const done: Promise<unknown>[] = [];
      for (const command of sequence) {
        const actor = 'at' in command ? actors[command.at % Math.max(1, actors.length)] : undefined;
        if (actor === undefined) {
          clock.nowMsValue += PERIOD_MS / 2;
          await tick();
          continue;
        }
        const ref = supervisor.ref(actorKey<WorkerBee>(actor.id));
        if (command.type === 'restart') done.push(supervisor.restart(actor.id));
        else if (command.type === 'exit') done.push(ref.exitInOrder());
        else done.push(ref.crash());
      }
      await Promise.allSettled(done);
      const whole = (node: TreeNode): boolean =>
        node.state === 'stopped' || (node.state === 'running' && node.children.every(whole));
      const resting = (): boolean => supervisor.tree().state === 'escalated' || whole(supervisor.tree());
      await settle(resting);
      expect(resting()).toBe(true);
      await supervisor.stop();
      expect(Object.values(states(supervisor.tree())).some(Boolean)).toBe(false);
    }),
    { numRuns },
  );
}
