import {
  Actor,
  actorKey,
  callAgain,
  isLost,
  withOptions,
  type ChildSpec,
  type Placement,
  type Ref,
  type SupervisorSpec,
} from '../actor/index.js';
import { AppError, isAppError, locate, Turns, waitFor } from '../base/index.js';
import {
  createTemplateRenderer,
  type ControlTexts,
  type Prompt,
  type TemplateRenderer,
  type TemplateVariables,
} from '../chat/index.js';

/** The template actor in the tree. */
export const templateKey = actorKey<TemplateActor>('template');
/**
 * What one rendering may take. Published templates take under 5 ms for a conversation of hundreds of turns; the rest is for
 * machines whose cores are all taken: at a load of five on two cores an honest one was seen to wait for more than 250 ms.
 */
const RENDER_DEADLINE_MS = 1000;
/** What each message may add: published templates take about 0.1 ms for one. */
const MESSAGE_DEADLINE_MS = 1;
/** What a restart may take before a waiting caller gives up: a thread and its modules, on a busy machine. */
const RESTART_DEADLINE_MS = 10_000;
/** Old generation of the actor's heap: several times the longest prompt, far below the machine's memory. */
const HEAP_MB = 256;
/** Instances that one rendering may see die. */
const MAX_ATTEMPTS = 4;

/** Renders templates of others: in a thread of its own, which can be stopped when one of them loops. */
export class TemplateActor extends Actor {
  readonly #renderer: TemplateRenderer;

  constructor(controls: ControlTexts) {
    super();
    this.#renderer = createTemplateRenderer(controls);
  }

  /** Settles when the actor runs. */
  async ready(): Promise<void> {}

  /** Trusted variables may hold control tokens. Errors: those of `renderTemplate`. */
  async render(template: string, variables: TemplateVariables, isTrusted: boolean): Promise<Prompt> {
    if (isTrusted) return { text: this.#renderer.render(template, variables) };
    return this.#renderer.renderPrompt(template, variables);
  }
}

/**
 * The template actor under a supervisor of its own: a template that fills the heap takes its instance down each time it is asked
 * for, which must not pass the intensity of the model's tree. `inline` has no limits: a loop cannot be stopped from its
 * own thread. `controls`: what becomes a control token only where the template itself writes it.
 */
export function templateActorSpec(placement: Placement, controls: ControlTexts): SupervisorSpec {
  const template: ChildSpec<ControlTexts> = {
    id: templateKey.id,
    actor: { module: locate('dist/src/completion/template-actor.js'), name: 'TemplateActor' },
    init: controls,
    restart: 'permanent',
    shutdownMs: 0,
    placement,
    heapMb: HEAP_MB,
  };
  const limits = { intensity: 1000, periodMs: 10_000, backoffMs: { first: 10, max: 100 } };
  return { id: 'templates', strategy: 'oneForOne', ...limits, children: [template] };
}

/** How one prompt is rendered. */
export interface RenderOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** What came with the request may become control tokens. Default false. */
  readonly isTrusted?: boolean;
  /** Callers take turns; absent: nobody in particular. */
  readonly caller?: string | undefined;
}

/** Renders a template. */
export type RenderTemplate = (
  template: string,
  variables: TemplateVariables,
  options?: RenderOptions,
) => Promise<Prompt>;

/** What rendering needs of the supervision tree. */
export interface TemplateHost {
  readonly ref: Ref<TemplateActor>;
  /** Tears the instance down, whatever it does, and starts another; not counted against the restart intensity. */
  readonly restart: () => Promise<void>;
}

/**
 * Renders in the template actor. A template past its time limit is stopped with its thread and answers `template_timeout`;
 * others that waited behind it are rendered by the next instance. Callers take turns, so that nobody waits for all that another asked. Errors: `template_timeout`, `template_error` also when the heap was not enough, those of `renderTemplate`.
 */
export function createRemoteRenderer(host: TemplateHost): RenderTemplate {
  const { ref, restart } = host;
  // One after the other, so that the time limit counts a template's own work and not that of those before it.
  const waiting = new Turns<() => Promise<unknown>>();
  let isWorking = false;
  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    for (let run = waiting.take(); run !== undefined; run = waiting.take()) await run();
    isWorking = false;
  };

  const attempt = async (template: string, variables: TemplateVariables, isTrusted: boolean): Promise<Prompt> => {
    const { messages } = variables;
    const count = Array.isArray(messages) ? messages.length : 0;
    const deadlineMs = RENDER_DEADLINE_MS + MESSAGE_DEADLINE_MS * count;
    const render = (): Promise<Prompt> => withOptions(ref, { deadlineMs }).render(template, variables, isTrusted);
    try {
      return await render().catch(async (error: unknown) => {
        if (!isAppError(error) || error.code !== 'actor_down') throw error;
        // Of an instance that starts, the start is no part of the template's own time.
        await withOptions(ref, { whenDown: 'wait', deadlineMs: RESTART_DEADLINE_MS }).ready();
        return render();
      });
    } catch (error) {
      if (isAppError(error) && error.code === 'deadline_exceeded') {
        await restart();
        throw templateTimeout(deadlineMs);
      }
      if (isLost(error) && error.details['cause'] === 'ERR_WORKER_OUT_OF_MEMORY') throw templateCrash(error);
      throw error;
    }
  };

  /** Whoever took the thread down, it is most likely another: only one that dies each time dies of the template. */
  const renderSurely: typeof attempt = async (template, variables, isTrusted) => {
    try {
      return await callAgain(MAX_ATTEMPTS, () => attempt(template, variables, isTrusted));
    } catch (error) {
      if (isAppError(error) && error.code === 'actor_crashed') throw templateCrash(error);
      throw error;
    }
  };

  // A caller that gives up before its turn costs nothing; later it does not stop the rendering, which ends by itself or by
  // its time limit.
  return (template, variables, { signal, isTrusted = false, caller = '' } = {}) => {
    const result = new Promise<Prompt>((resolve, reject) => {
      const run = async (): Promise<Prompt> => {
        signal?.throwIfAborted();
        return renderSurely(template, variables, isTrusted);
      };
      waiting.push(caller, () => run().then(resolve, reject));
    });
    void work();
    return waitFor(result, 'the chat template', { signal });
  };
}

function templateTimeout(deadlineMs: number): AppError {
  const message = `the chat template did not end within ${deadlineMs} ms and was stopped`;
  return new AppError('template_timeout', message, { deadlineMs });
}

function templateCrash(cause: AppError): AppError {
  const message = `the chat template took its thread down; it may use ${HEAP_MB} MiB of memory`;
  return new AppError('template_error', message, { limitMiB: HEAP_MB }, { cause });
}
