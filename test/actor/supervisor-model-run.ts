import * as fc from 'fast-check';
import { expect } from 'vitest';
import {
  actorKey,
  createSupervisor,
  type ChildHandle,
  type ChildSpec,
  type Restart,
  type Supervisor,
  type SupervisorSpec,
  type TreeNode,
} from '../../src/actor/index.js';
import { isAppError, present, type Clock } from '../../src/base/index.js';
import type { WorkerBee } from './fixtures/worker-bee.js';
import { SupervisorModel, type ModelActor, type ModelNode, type ModelSupervisor } from './supervisor-model.js';
import { bee } from './tree.js';

/** The shape of a random tree, before its nodes get ids. */
export type Shape =
  | { readonly restart: Restart }
  | {
      readonly restart: Restart;
      readonly prepares: boolean;
      readonly strategy: SupervisorSpec['strategy'];
      readonly intensity: number;
      readonly children: readonly Shape[];
    };

type SupervisorShape = Extract<Shape, { children: unknown }>;

/** Something done to the tree; `at` picks an actor. */
export type Command =
  | { readonly type: 'crash' | 'kill' | 'exit' | 'restart' | 'remove'; readonly at: number }
  | { readonly type: 'add'; readonly at: number; readonly shape: Shape }
  | { readonly type: 'wait'; readonly ms: number };

const PERIOD_MS = 1_000;

const restarts = fc.constantFrom<Restart>('permanent', 'transient', 'temporary');

const { tree: shapes, node: childShapes } = fc.letrec<{ tree: SupervisorShape; node: Shape }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.record({ restart: restarts }), tie('tree')),
  tree: fc.record({
    restart: restarts,
    prepares: fc.boolean(),
    strategy: fc.constantFrom('oneForOne', 'oneForAll', 'restForOne'),
    intensity: fc.nat(3),
    children: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
  }),
}));

const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('crash', 'kill', 'exit', 'restart'), at: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('add'), at: fc.nat(50), shape: childShapes }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('remove'), at: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('wait'), ms: fc.integer({ min: 1, max: 1_500 }) }) },
  ),
  { maxLength: 16 },
);

/** A clock that stands still until a test moves it; its timers never fire. */
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

type Tell = (line: string) => void;

function toChildSpec(shape: Shape, id: string, tell: Tell): ChildSpec | SupervisorSpec {
  if ('children' in shape) return toSpec(shape, id, tell);
  return bee({ id, placement: 'inline', restart: shape.restart });
}

function toSpec(shape: SupervisorShape, id: string, tell: Tell): SupervisorSpec {
  return {
    id,
    strategy: shape.strategy,
    intensity: shape.intensity,
    periodMs: PERIOD_MS,
    backoffMs: { first: 0, max: 0 },
    restart: shape.restart,
    ...(shape.prepares && { prepare: () => tell(`prepared ${id}`) }),
    children: shape.children.map((child, i) => toChildSpec(child, `${id}.${i}`, tell)),
  };
}

function toModelNode(shape: Shape, id: string): ModelNode {
  if ('children' in shape) return toModel(shape, id);
  return { id, restart: shape.restart, state: 'stopped', starts: 0 };
}

function toModel(shape: SupervisorShape, id: string): ModelSupervisor {
  const children = shape.children.map((child, i) => toModelNode(child, `${id}.${i}`));
  const { strategy, intensity, restart, prepares } = shape;
  const rules = { strategy, intensity, periodMs: PERIOD_MS, restart, prepares };
  return { id, ...rules, children, state: 'stopped', starts: 0, restarts: [] };
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

/** An actor of the model, and who holds it: the tree that was started with it in it. */
interface Held {
  readonly actor: ModelActor;
  readonly handle: ChildHandle;
}

/** A child that was started later. */
interface Added {
  readonly node: ModelNode;
  readonly handle: ChildHandle;
}

/** A supervisor that children can be added to. */
interface Parent {
  readonly node: ModelSupervisor;
  readonly supervisor: Supervisor;
}

/** One random tree under one random sequence of commands, beside the model. */
async function runSequence(shape: SupervisorShape, sequence: readonly Command[]): Promise<void> {
  const clock = createStillClock();
  const log: string[] = [];
  const tell = (line: string): void => void log.push(line);
  const spec = { ...toSpec(shape, 'top', tell), clock };
  const supervisor = await createSupervisor(spec, (event) => tell(`${event.type} ${event.id}`));
  const model = new SupervisorModel(toModel(shape, 'top'));
  let held: Held[] = actorsOf(model.root).map((actor) => ({ actor, handle: supervisor }));
  let added: Added[] = [];
  let parents: Parent[] = [{ node: model.root, supervisor }];
  let lastId = 0;
  expect(log).toEqual(model.log);

  const add = async ({ node: parent, supervisor: above }: Parent, child: Shape): Promise<void> => {
    const id = `later-${++lastId}`;
    const isRunning = parent.state === 'running';
    const node = toModelNode(child, id);
    const starting: Promise<ChildHandle> =
      'children' in child
        ? above.startChild(toSpec(child, id, tell))
        : above.startChild(bee({ id, placement: 'inline', restart: child.restart }));
    if (!isRunning) return expect(starting).rejects.toMatchObject({ code: 'actor_down' });
    const handle = await starting;
    model.add(parent, node);
    added.push({ node, handle });
    held.push(...actorsOf(node).map((actor) => ({ actor, handle })));
    if ('children' in node) parents.push({ node, supervisor: handle as Supervisor });
  };

  const remove = async ({ node, handle }: Added): Promise<void> => {
    await handle.stop();
    model.remove(node);
    added = added.filter((one) => model.has(one.node));
    parents = parents.filter((one) => model.has(one.node));
    held = held.filter(({ actor }) => model.has(actor));
  };

  const change = async ({ actor, handle }: Held, type: 'crash' | 'kill' | 'exit' | 'restart'): Promise<void> => {
    const ref = handle.ref(actorKey<WorkerBee>(actor.id));
    if (type === 'restart') {
      await handle.restart(actor.id).catch(() => {});
      return model.restart(actor);
    }
    if (type === 'crash') await ref.crash().catch(() => {});
    else if (type === 'exit') await ref.exitInOrder().catch(() => {});
    else if (actor.state === 'running') handle.kill(actor.id);
    model.end(actor, type === 'exit');
  };

  for (const command of sequence) {
    if (command.type === 'wait') {
      clock.nowMsValue += command.ms;
      model.nowMs += command.ms;
      continue;
    }
    const pick = <T>(from: readonly T[]): T | undefined => from[command.at % Math.max(1, from.length)];
    const target = command.type === 'add' ? pick(parents) : command.type === 'remove' ? pick(added) : pick(held);
    if (target === undefined) continue;
    if (command.type === 'add') await add(target as Parent, command.shape);
    else if (command.type === 'remove') await remove(target as Added);
    else await change(target as Held, command.type);
    await settle(() => log.length >= model.log.length);
    expect(log).toEqual(model.log);
    expect(states(supervisor.tree())).toEqual(modelStates(model.root));
    expect(supervisor.ready).toBe(model.root.state === 'running');
    if (model.root.state === 'escalated') {
      for (const { actor, handle } of held) {
        const call = handle.ref(actorKey<WorkerBee>(actor.id)).add(1);
        await expect(call).rejects.toMatchObject({ code: 'supervisor_escalated' });
      }
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
      const supervisor = await createSupervisor({ ...toSpec(shape, 'top', () => {}), clock });
      const actors = actorsOf(toModel(shape, 'top'));
      const done: Promise<unknown>[] = [];
      /** Awaited at the end: until then a failure has no handler. */
      const note = (list: Promise<unknown>[], promise: Promise<unknown>): void => {
        promise.catch(() => {});
        list.push(promise);
      };
      const added: Promise<ChildHandle>[] = [];
      const change = (handle: ChildHandle, id: string, type: Command['type']): Promise<unknown> => {
        if (type === 'restart') return handle.restart(id);
        const ref = handle.ref(actorKey<WorkerBee>(id));
        return type === 'exit' ? ref.exitInOrder() : ref.crash();
      };
      for (const [index, command] of sequence.entries()) {
        if (command.type === 'wait') {
          clock.nowMsValue += PERIOD_MS / 2;
          await tick();
        } else if (command.type === 'add') {
          const id = `later-${index}`;
          const child = toChildSpec(command.shape, id, () => {});
          note(added, 'children' in child ? supervisor.startChild(child) : supervisor.startChild(child));
          // Half of them die at once, whether they run by then or not.
          const first = 'children' in command.shape ? actorsOf(toModel(command.shape, id))[0]?.id : id;
          const dying = added.at(-1);
          if (command.at % 2 === 0 && first !== undefined) {
            note(
              done,
              present(dying, 'it was added').then((handle) => change(handle, first, 'crash')),
            );
          }
        } else if (command.type === 'remove') {
          const leaving = added[command.at % Math.max(1, added.length)];
          note(
            done,
            Promise.resolve(leaving).then((handle) => handle?.stop()),
          );
          if (command.at % 2 === 0) note(done, supervisor.stopChild(`later-${command.at % 16}`));
        } else {
          const actor = actors[command.at % Math.max(1, actors.length)];
          if (actor !== undefined) note(done, change(supervisor, actor.id, command.type));
        }
      }
      await Promise.allSettled([...done, ...added]);
      const gone = await Promise.allSettled(added);
      expect(gone.filter((one) => one.status === 'rejected' && !isAppError(one.reason))).toEqual([]);
      const whole = (node: TreeNode): boolean =>
        node.state === 'stopped' ||
        node.state === 'escalated' ||
        (node.state === 'running' && node.children.every(whole));
      const resting = (): boolean => supervisor.tree().state === 'escalated' || whole(supervisor.tree());
      await settle(resting);
      expect(resting()).toBe(true);
      await supervisor.stop();
      expect(Object.values(states(supervisor.tree())).some(Boolean)).toBe(false);
    }),
    { numRuns },
  );
}
