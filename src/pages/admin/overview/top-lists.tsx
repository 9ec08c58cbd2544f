import type { VNode } from 'preact';
import { toAddress, type Formats, type TrafficPart } from '../../data/index.js';
import { plural, troubleText } from '../../../words/index.js';
import { Badge, Bar, Card, Empty, Link, useKit } from '../../kit/index.js';
import type { RuntimeHealth, TopKey } from '../api/metrics-answers.js';

/** The health of the runtimes. */
export function Runtimes({ runtimes }: { readonly runtimes: readonly RuntimeHealth[] }): VNode {
  const numHealthy = runtimes.filter(({ healthy }) => healthy).length;
  return (
    <Card
      title="Runtimes"
      actions={
        <span class="muted">
          {numHealthy} of {runtimes.length} healthy
        </span>
      }
    >
      {runtimes.length === 0 ? (
        <Empty icon="runtime" title="There are no runtimes yet.">
          <Link to="/runtimes">Look for some</Link>
        </Empty>
      ) : (
        <ul class="rows scroll-y" tabIndex={0} aria-label="Runtimes">
          {runtimes.map(({ id, kind, healthy, trouble, reason }) => (
            <li key={id}>
              <span class="row-main">
                <Link to={toAddress({ path: '/runtimes', query: { tab: 'runtimes', open: id } })}>{id}</Link>
                <span class="muted">{reason ?? kind}</span>
              </span>
              <Badge tone={healthy ? 'good' : 'bad'}>{healthy ? 'healthy' : troubleText(trouble)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** The keys that used the most today. */
export function TopKeys({ keys }: { readonly keys: readonly TopKey[] }): VNode {
  return (
    <Card title="Top keys, today (UTC)" actions={<Link to="/keys?sort=tokens">All keys</Link>}>
      {keys.length === 0 && <p class="muted">Nothing was used today.</p>}
      <KeyBars keys={keys} toLink={(id) => ({ path: '/keys', query: { open: id } })} />
    </Card>
  );
}

/** Keys by name, each with a bar of its tokens relative to the largest. `toLink`: the target of a key's name. */
export function KeyBars(props: {
  readonly keys: readonly TopKey[];
  readonly toLink: (id: string) => Parameters<typeof toAddress>[0];
}): VNode {
  const { keys, toLink } = props;
  const { formats } = useKit();
  const top = Math.max(1, ...keys.map(({ tokens }) => tokens));
  return (
    <ol class="bars">
      {keys.map(({ key_id: id, name, prefix, tokens, spend }) => (
        <Bar
          key={id}
          name={<Link to={toAddress(toLink(id))}>{name}</Link>}
          hint={`${prefix}… ${spend.map(({ amount, currency }) => formats.money(amount, currency)).join(', ')}`}
          share={tokens / top}
          value={`${formats.compact(tokens)} ${plural(tokens, 'token')}`}
        />
      ))}
    </ol>
  );
}

/** The models with the most requests within a day. */
export function TopModels({ models }: { readonly models: readonly TrafficPart[] }): VNode {
  const { formats } = useKit();
  const top = Math.max(1, ...models.map(({ requests }) => requests));
  return (
    <Card title="Top models, last day" actions={<Link to="/models">All models</Link>}>
      {models.length === 0 && <p class="muted">Nothing was asked within a day.</p>}
      <ol class="bars">
        {models.map(({ name, requests, errors, prompt_tokens: prompt, completion_tokens: completion }) => (
          <Bar
            key={name}
            name={<Link to={toAddress({ path: '/metrics', query: { model: name } })}>{name}</Link>}
            hint={tokensAndErrors({ prompt, completion, errors }, formats)}
            share={requests / top}
            value={`${formats.compact(requests)} ${plural(requests, 'request')}`}
          />
        ))}
      </ol>
    </Card>
  );
}

/** Tokens in and out of a model or a runtime, and its failures. */
export function tokensAndErrors(
  { prompt, completion, errors }: { readonly prompt: number; readonly completion: number; readonly errors: number },
  formats: Formats,
): string {
  const tokens = prompt + completion;
  const words = `${formats.compact(tokens)} ${plural(tokens, 'token')}`;
  return errors > 0 ? `${words}, ${formats.counted(errors, 'error')}` : words;
}
