import { describe, expect, it } from 'vitest';
import { gatewayWords } from '../../../src/gateway/audit/gateway-words.js';
import { entrySentence, type SaidEntry } from '../../../src/metering/audit/entry-sentence.js';

const say = (entry: SaidEntry): string => entrySentence(entry, gatewayWords);

const price = { input_per_million: '0.10', output_per_million: '0.40', currency: 'EUR' };
const sentence = (action: string, diff: object, actor = 'admin:ann/s1@127.0.0.1'): string =>
  say({ actor, action, target: 'model:demo', outcome: 'ok', reason: '', diff: JSON.stringify(diff) });

describe('the sentence of an audit entry', () => {
  it('names the parts of a price that changed, and no JSON', () => {
    const changes = [
      { of: 'models', id: 'demo', before: { price }, after: { price: { ...price, input_per_million: '0.25' } } },
    ];
    expect(sentence('model.update', { changes })).toBe(
      'Operator ann (session s1, from 127.0.0.1) changed the price of a million prompt tokens of model demo from 0.10 EUR to 0.25 EUR.',
    );
    expect(sentence('config.reload', { changes }, 'system')).toBe(
      'The gateway took up model demo: model demo price of a million prompt tokens from 0.10 EUR to 0.25 EUR.',
    );
  });

  it('says a whole price where there was none', () => {
    const changes = [{ of: 'models', id: 'demo', before: { price: null }, after: { price } }];
    expect(sentence('model.update', { changes })).toContain(
      'set the price of model demo to 0.10 EUR a million prompt tokens and 0.40 EUR a million completion tokens',
    );
  });

  it('says that a first admin token was set, and that a later one replaced it', () => {
    const of = (issued: boolean, outcome = 'ok'): string =>
      say({
        actor: 'cli:ann',
        action: 'admin-token.set',
        target: 'admin-token',
        outcome,
        reason: '',
        diff: JSON.stringify({ before: { issued }, after: { issued: true } }),
      });
    expect(of(false)).toBe('Operator ann at the command line set the admin token.');
    expect(of(true)).toBe('Operator ann at the command line replaced the admin token.');
    expect(of(false, 'failed')).toBe('Operator ann at the command line tried to set the admin token, and it failed.');
  });

  it('calls an operator without a name an operator', () => {
    const from = 'admin@127.0.0.1';
    expect(
      say({
        actor: from,
        action: 'session.create',
        target: 'session',
        outcome: 'ok',
        reason: '',
        diff: '{}',
      }),
    ).toBe('An operator (from 127.0.0.1) signed in to the admin page.');
  });
});
