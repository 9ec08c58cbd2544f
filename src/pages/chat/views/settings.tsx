import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ChatSettings } from '../conversation/conversation.js';
import type { Theme } from '../../data/index.js';
import { Choice, Dialog, saveFile } from '../../kit/index.js';
import type { ViewProps } from './view-props.js';

/** A number of the settings, its limits, and its effect. */
interface NumberRule {
  readonly key: 'temperature' | 'topP' | 'maxTokens' | 'seed';
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly hint: string;
}

const NUMBERS: readonly NumberRule[] = [
  { key: 'temperature', label: 'Temperature', min: 0, max: 2, step: 0.1, hint: '0 takes the likeliest token' },
  { key: 'topP', label: 'Top-p', min: 0, max: 1, step: 0.05, hint: 'of the likeliest tokens, this part' },
  { key: 'maxTokens', label: 'Longest answer', min: 1, max: 1_000_000, step: 1, hint: 'in tokens' },
  { key: 'seed', label: 'Seed', min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, hint: 'the same seed, the same answer' },
];

const THINKING = [
  ['auto', 'Default'],
  ['on', 'On'],
  ['off', 'Off'],
] as const;
const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** Settings of requests, appearance and stored data. */
export function Settings(props: ViewProps & { readonly onClose: () => void }): VNode {
  const { chat, state, onClose } = props;
  const { settings } = state.open;
  return (
    <Dialog title="Settings" onClose={onClose}>
      <section class="group">
        <p class="hint">For this conversation, and for those that you start next.</p>
        <label class="field">
          <span class="field-name">System prompt</span>
          <textarea
            dir="auto"
            rows={4}
            value={settings.system}
            placeholder="How the model should answer"
            onInput={(event) => chat.changeSettings({ system: event.currentTarget.value })}
          />
        </label>
        <Choice
          name="Thinking"
          values={THINKING}
          chosen={settings.thinking}
          onChoose={(thinking) => chat.changeSettings({ thinking })}
        />
        <div class="numbers">
          {NUMBERS.map((rule) => (
            <NumberField key={rule.key} rule={rule} settings={settings} onChange={chat.changeSettings} />
          ))}
        </div>
      </section>
      <section class="group">
        <Choice<Theme> name="Appearance" values={THEMES} chosen={state.theme} onChoose={chat.setTheme} />
      </section>
      <Kept chat={chat} state={state} onDone={onClose} />
    </Dialog>
  );
}

/** A number field; empty means the model's own default. It refuses an invalid number with a message. */
function NumberField(props: {
  readonly rule: NumberRule;
  readonly settings: ChatSettings;
  readonly onChange: (change: Partial<ChatSettings>) => void;
}): VNode {
  const { key, label, min, max, step, hint } = props.rule;
  const [text, setText] = useState(String(props.settings[key] ?? ''));
  const value = text.trim() === '' ? undefined : Number(text);
  const isWrong = value !== undefined && !isTaken(value, props.rule);
  const write = (next: string): void => {
    setText(next);
    const given = next.trim() === '' ? undefined : Number(next);
    if (given === undefined || isTaken(given, props.rule)) props.onChange({ [key]: given });
  };
  return (
    <label class="field">
      <span class="field-name">{label}</span>
      <input
        type="text"
        inputMode={step < 1 ? 'decimal' : 'numeric'}
        value={text}
        placeholder="Default"
        aria-invalid={isWrong}
        aria-describedby={`hint-${key}`}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <span id={`hint-${key}`} class={isWrong ? 'hint wrong' : 'hint'}>
        {isWrong ? `Not taken: ${step < 1 ? 'a number' : 'a whole number'} from ${min} to ${max}` : hint}
      </span>
    </label>
  );
}

function isTaken(value: number, { min, max, step }: NumberRule): boolean {
  return value >= min && value <= max && (step < 1 || Number.isInteger(value));
}

/** The stored conversations and settings of this browser. */
function Kept(props: ViewProps & { readonly onDone: () => void }): VNode {
  const { chat, state, onDone } = props;
  const file = useRef<HTMLInputElement>(null);
  const [isSure, setSure] = useState(false);
  const ids = state.summaries.map(({ id }) => id);
  const onFile = async (): Promise<void> => {
    const chosen = file.current?.files?.[0];
    if (chosen === undefined) return;
    // This window would cover the notice, so it closes.
    chat.notify({ text: await chat.keeper.importFile(chosen) });
    onDone();
  };
  const removeAll = (): void => {
    if (!isSure) return setSure(true);
    void chat.remove(ids);
    onDone();
  };
  return (
    <section class="group">
      <h3 class="field-name">Conversations</h3>
      <p class="hint">{ids.length} in this browser, and nowhere else.</p>
      <div class="button-row">
        <button
          type="button"
          class="button"
          disabled={ids.length === 0}
          onClick={() => void chat.keeper.exportFile().then((text) => saveFile('conversations.json', text))}
        >
          Export
        </button>
        <button type="button" class="button" onClick={() => file.current?.click()}>
          Import
        </button>
        <button type="button" class="button danger" disabled={ids.length === 0} onClick={removeAll}>
          {isSure ? `Really delete all ${ids.length}?` : 'Delete all'}
        </button>
        <input
          ref={file}
          type="file"
          accept="application/json,.json"
          class="visually-hidden"
          tabIndex={-1}
          aria-label="File to import"
          onChange={() => void onFile()}
        />
      </div>
    </section>
  );
}
