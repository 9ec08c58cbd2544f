import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiAnswer } from '../../data/index.js';
import { Facts, FailureNote, Note, TextArea, TextField, useKit } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import type { TrialAnswer } from '../api/config-answers.js';

/** Sends a test message. The page keeps the message and the answer only while this view is open. */
export function TryModel({ id }: { readonly id: string }): VNode {
  const { api } = useAdmin();
  const [message, setMessage] = useState('Say hello in one sentence.');
  const [maxTokens, setMaxTokens] = useState('128');
  const [answer, setAnswer] = useState<ApiAnswer<TrialAnswer>>();
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), [id]);
  const limit = Number(maxTokens);
  const isGood = message.trim() !== '' && Number.isInteger(limit) && limit >= 1 && limit <= 4_096;
  const send = async (): Promise<void> => {
    if (!isGood || isBusy) return;
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    setAnswer(undefined);
    const got = await api.tryModel(id, message, limit, controller.signal);
    if (running.current !== controller) return;
    setBusy(false);
    if (!controller.signal.aborted) setAnswer(got);
  };
  const stop = (): void => {
    running.current?.abort();
    running.current = undefined;
    setBusy(false);
  };
  return (
    <section class="form" aria-label="Try it">
      <h3 class="part-title">Try it</h3>
      <TextArea
        label="Test message"
        value={message}
        hint="Neither the message nor the answer is kept, and no key is charged. The audit log says that the model was tried."
        onInput={setMessage}
      />
      <div class="form-row">
        <TextField
          label="Tokens of the answer at most"
          inputMode="numeric"
          value={maxTokens}
          error={limit >= 1 && limit <= 4_096 ? undefined : 'A whole number from 1 to 4096.'}
          onInput={setMaxTokens}
        />
        {isBusy ? (
          <button type="button" class="button" onClick={stop}>
            <span class="spinner" aria-hidden="true" /> Stop
          </button>
        ) : (
          <button type="button" class="button primary" disabled={!isGood} onClick={() => void send()}>
            Send
          </button>
        )}
      </div>
      <div role="status">{answer !== undefined && <Answer answer={answer} />}</div>
    </section>
  );
}

function Answer({ answer }: { readonly answer: ApiAnswer<TrialAnswer> }): VNode {
  const { formats } = useKit();
  if (!answer.ok) return <FailureNote failure={answer.failure} />;
  const { status, runtime, upstream_model: model, text, reasoning, error, ...rest } = answer.value;
  return (
    <div class="form">
      {error !== null && (
        <Note tone="bad">
          The runtime refused with {status}: {error}
        </Note>
      )}
      {reasoning !== null && (
        <details>
          <summary class="muted">Thinking</summary>
          <p class="said">{reasoning}</p>
        </details>
      )}
      {text !== null && <p class="said">{text === '' ? <span class="muted">The answer is empty.</span> : text}</p>}
      <Facts
        facts={[
          ['Answered by', `${runtime} / ${model}`],
          ['First token', rest.first_byte_ms === null ? null : formats.duration(rest.first_byte_ms)],
          ['Duration', formats.duration(rest.duration_ms)],
          [
            'Tokens',
            `${formats.count(rest.prompt_tokens)} in, ${formats.count(rest.completion_tokens)} out${rest.estimated ? ', estimated' : ''}`,
          ],
        ]}
      />
    </div>
  );
}
