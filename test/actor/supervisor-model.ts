// The reference model of a supervisor: OTP's rules over plain data, without promises, threads or clocks.
import type { Restart, Strategy } from '../../src/actor/index.js';

/** An actor or supervisor of the model. */
export type ModelNode = ModelActor | ModelSupervisor;

export interface ModelActor {
  readonly id: string;
  readonly restart: Restart;
  state: 'running' | 'stopped' | 'escalated';
  starts: number;
}

export interface ModelSupervisor {
  readonly id: string;
  readonly strategy: Strategy;
  readonly intensity: number;
  readonly periodMs: number;
  readonly restart: Restart;
  readonly prepares: boolean;
  readonly children: ModelNode[];
  state: 'running' | 'stopped' | 'escalated';
  starts: number;
  restarts: number[];
}

/** A tree's life, told in the events that the supervisor must tell: `started a`, `crashed a`, … */
export class SupervisorModel {
  readonly root: ModelSupervisor;
  readonly log: string[] = [];
  nowMs = 0;

  constructor(root: ModelSupervisor) {
    this.root = root;
    this.#start(root);
  }

  /** The actor crashes (`normal` false) or ends in order. */
  end(actor: ModelActor, normal: boolean): void {
    if (actor.state !== 'running') return;
    actor.state = 'stopped';
    if (!normal) this.log.push(`crashed ${actor.id}`);
    this.#fell(this.#path(actor), actor.restart, normal);
  }

  /** Stops the actor and starts it again, when its supervisor lives. */
  restart(actor: ModelActor): void {
    const parent = this.#path(actor).at(-2) as ModelSupervisor;
    if (parent.state === 'running') {
      actor.state = 'stopped';
      this.#start(actor);
    }
  }

  /** Starts a child after the others of `parent`, when that runs. */
  add(parent: ModelSupervisor, child: ModelNode): void {
    if (parent.state !== 'running') return;
    parent.children.push(child);
    this.#start(child);
  }

  /** Stops a child and takes it out. */
  remove(child: ModelNode): void {
    const parent = this.#path(child).at(-2) as ModelSupervisor | undefined;
    if (parent === undefined) return;
    this.#stop(child, 'stopped');
    parent.children.splice(parent.children.indexOf(child), 1);
  }

  /** Whether `node` is in the tree. */
  has(node: ModelNode): boolean {
    return this.#path(node).length > 0;
  }

  stop(): void {
    if (this.root.state === 'running') this.#stop(this.root, 'stopped');
    else this.#mark(this.root, 'stopped');
  }

  /** `path`: from the root to who fell. */
  #fell(path: readonly ModelNode[], restart: Restart, normal: boolean): void {
    const child = path.at(-1) as ModelNode;
    const parent = path.at(-2) as ModelSupervisor | undefined;
    if (parent === undefined) return this.#mark(child, 'escalated');
    if (restart === 'temporary' || (restart === 'transient' && normal)) {
      if ('children' in child) this.#mark(child, 'escalated');
      this.log.push(`stopped ${child.id}`);
      return;
    }
    parent.restarts = [...parent.restarts.filter((at) => this.nowMs - at <= parent.periodMs), this.nowMs];
    if (parent.restarts.length > parent.intensity) {
      this.#stop(parent, 'stopped');
      this.log.push(`escalated ${parent.id}`);
      return this.#fell(path.slice(0, -1), parent.restart, false);
    }
    const at = parent.children.indexOf(child);
    const group = { oneForOne: [child], oneForAll: parent.children, restForOne: parent.children.slice(at) }[
      parent.strategy
    ];
    for (const member of group.toReversed()) if (member.state === 'running') this.#stop(member, 'stopped');
    const isWhole = parent.strategy !== 'oneForOne' && group.length === parent.children.length;
    if (isWhole && parent.prepares) this.log.push(`prepared ${parent.id}`);
    for (const member of group) {
      const temporary = member.restart === 'temporary' && group.length > 1;
      if (!temporary) this.#start(member);
    }
  }

  #start(node: ModelNode): void {
    if ('children' in node) {
      node.restarts = [];
      if (node.prepares) this.log.push(`prepared ${node.id}`);
      for (const child of node.children) this.#start(child);
    }
    node.state = 'running';
    node.starts++;
    if (node !== this.root) this.log.push(`${node.starts === 1 ? 'started' : 'restarted'} ${node.id}`);
  }

  #stop(node: ModelNode, next: 'stopped' | 'escalated'): void {
    if ('children' in node) for (const child of node.children.toReversed()) this.#stop(child, next);
    else if (node.state === 'running') this.log.push(`stopped ${node.id}`);
    node.state = next;
  }

  #mark(node: ModelNode, state: 'stopped' | 'escalated'): void {
    node.state = state;
    if ('children' in node) for (const child of node.children) this.#mark(child, state);
  }

  #path(actor: ModelNode): readonly ModelNode[] {
    const search = (node: ModelNode): ModelNode[] | undefined => {
      if (node === actor) return [node];
      if (!('children' in node)) return undefined;
      for (const child of node.children) {
        const rest = search(child);
        if (rest !== undefined) return [node, ...rest];
      }
      return undefined;
    };
    return search(this.root) ?? [];
  }
}
