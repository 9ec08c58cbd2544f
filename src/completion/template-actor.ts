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
  checkVariables,
  createTemplateRenderer,
  type ControlTexts,
  type Prompt,
  type TemplateRenderer,
  type TemplateVariables,
} from '../chat/index.js';

/** The template actor in the tree. */
export const templateKey = actorKey<TemplateActor>('template');
/**
 * Time limit of one rendering. Published templates take under 5 ms for a conversation of hundreds of turns. The rest is
 * for busy machines. An honest template waited for 250 ms at a load of five on two cores, for a second at one of 16.
 */
const RENDER_DEADLINE_MS = 3000;
/** Additional time for each message: published templates take about 0.1 ms for one. */
const MESSAGE_DEADLINE_MS = 1;
/** How long a waiting caller waits for a restart: a thread and its modules, on a busy machine. */
const RESTART_DEADLINE_MS = 10_000;
/** Old generation of the actor's heap: several times the longest prompt, far below the machine's memory. */
const HEAP_MB = 256;
/** Deaths of instances during one rendering, at most. */
const MAX_ATTEMPTS = 4;

/** Renders foreign templates in a thread of its own, which can be stopped when a template loops. */
export class TemplateActor extends Actor {
  readonly #renderer: TemplateRenderer;

  constructor(controls: ControlTexts) {
    super();
    this.#renderer = createTemplateRenderer(controls);
  }

  /** Settles when the actor runs. */
  async ready(): Promise<void> {}

  /** Renders a prompt. Trusted variables may contain control tokens. Errors: those of `renderTemplate`. */
  async render(template: string, variables: TemplateVariables, isTrusted: boolean): Promise<Prompt> {
    if (isTrusted) return { text: this.#renderer.render(template, variables) };
    return this.#renderer.renderPrompt(template, variables);
  }
}

/**
 * The template actor under a supervisor of its own. A template that fills the heap kills its instance at each request,
 * which must not exceed the intensity of the model's tree. `inline` has no limits: a loop cannot be stopped from its
 * own thread. `controls`: texts that become control tokens only where the template itself writes them.
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

/** Options of one rendering. */
export interface TemplateRenderOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Texts of the request may become control tokens. Default false. */
  readonly isTrusted?: boolean;
  /** Callers take turns; requests without a caller share one. */
  readonly caller?: string | undefined;
}

/** Renders a template. */
export type RenderTemplate = (
  template: string,
  variables: TemplateVariables,
  options?: TemplateRenderOptions,
) => Promise<Prompt>;

/** The parts of the supervision tree that rendering needs. */
export interface TemplateHost {
  readonly ref: Ref<TemplateActor>;
  /** Tears the instance down, whatever it does, and starts another; not counted against the restart intensity. */
  readonly restart: () => Promise<void>;
}

/**
 * Renders in the template actor. A template past its time limit is stopped with its thread and gives
 * `template_timeout`; the next instance renders the waiting ones. Callers take turns, so no caller waits for all of
 * another's work. Errors: `template_timeout`, `template_error` also when the heap was too small, those of
 * `renderTemplate`. `renderMs`: the time limit of one rendering without messages.
 */
export function createRemoteRenderer(host: TemplateHost, renderMs = RENDER_DEADLINE_MS): RenderTemplate {
  const { ref, restart } = host;
  // One after the other, so that the time limit covers a template's own work only.
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
    const deadlineMs = renderMs + MESSAGE_DEADLINE_MS * count;
    const render = (): Promise<Prompt> => withOptions(ref, { deadlineMs }).render(template, variables, isTrusted);
    try {
      return await render().catch(async (error: unknown) => {
        if (!isAppError(error) || error.code !== 'actor_down') throw error;
        // The time of an instance's start does not count as the template's own.
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

  /** Another template has most likely killed the thread: only a template that dies in each attempt is blamed. */
  const renderSurely: typeof attempt = async (template, variables, isTrusted) => {
    try {
      return await callAgain(MAX_ATTEMPTS, () => attempt(template, variables, isTrusted));
    } catch (error) {
      if (isAppError(error) && error.code === 'actor_crashed') throw templateCrash(error);
      throw error;
    }
  };

  // A caller that gives up before its turn costs nothing. Later it does not stop the rendering, which ends by itself or
  // by its time limit.
  return (template, variables, { signal, isTrusted = false, caller = '' } = {}) => {
    const result = new Promise<Prompt>((resolve, reject) => {
      const run = async (): Promise<Prompt> => {
        signal?.throwIfAborted();
        checkVariables(variables);
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
