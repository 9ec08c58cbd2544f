import type { VNode } from 'preact';
import type { ApiAnswer } from '../data/index.js';
import { EditDialog, TextField, useKit, type EditDialogProps } from '../kit/index.js';
import type { Saved } from './api/config-answers.js';
import { savedWords } from './saved-note.js';

/** The properties of a window that changes an entry of gateway.yaml. */
export interface FileEditProps extends Pick<
  EditDialogProps<Saved>,
  'title' | 'etag' | 'mine' | 'onTry' | 'send' | 'onClose' | 'children'
> {
  /** Reads the current entry of the file as texts; undefined: the file does not have it. */
  readonly readNow: () => Promise<
    ApiAnswer<{ readonly etag: string; readonly texts: Readonly<Record<string, string>> | undefined }>
  >;
  readonly onSaved: () => void;
}

/** A form for an entry of gateway.yaml. If the file changed meanwhile, it shows both versions. */
export function FileEdit({ readNow, onSaved, ...dialog }: FileEditProps): VNode {
  const { notify } = useKit();
  return (
    <EditDialog
      {...dialog}
      what="gateway.yaml"
      readNow={async () => {
        const now = await readNow();
        return now.ok ? { ...now, value: { etag: now.value.etag, texts: now.value.texts ?? {} } } : now;
      }}
      onSaved={(saved) => {
        notify(savedWords(saved));
        onSaved();
      }}
      onTheirs={onSaved}
    />
  );
}

/** The id of a new entry. */
export function IdField(props: {
  readonly id: string;
  readonly error: string | undefined;
  readonly hint: string;
  readonly onInput: (id: string) => void;
}): VNode {
  return (
    <TextField
      label="Id"
      fileName="id"
      value={props.id}
      error={props.error}
      hint={props.hint}
      onInput={props.onInput}
    />
  );
}
