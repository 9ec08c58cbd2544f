import { itemSources, type JsonObject } from '../../base/index.js';
import { readJsonSources, type MessagesCountRequest, type MessagesTool } from '../../api/index.js';
import { toFunctionTool, toFunctionToolSource } from '../function-tools.js';
import { checkToolName } from '../parsing/check-tool-name.js';
import { missingField } from '../parsing/request-errors.js';
import { ToolOffer } from '../tools/tool-offer.js';

const textOf = (description: string): JsonObject => ({ type: 'string', description });

/** The description and parameters of Anthropic's own client tools. Source: its documentation of tools. */
interface ClientTool {
  readonly type: RegExp;
  readonly description: string;
  readonly parameters: JsonObject;
}

const clientTools: readonly ClientTool[] = [
  {
    type: /^bash_\d+$/,
    description: 'Runs a command in a bash session that stays open, and gives its output.',
    parameters: {
      type: 'object',
      properties: {
        command: textOf('The command to run. Not needed for a restart.'),
        restart: { type: 'boolean', description: 'True starts the session again.' },
      },
    },
  },
  {
    type: /^text_editor_\d+$/,
    description: 'Shows, makes and changes text files.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
        path: textOf('The path of a file, or of a directory to view.'),
        view_range: {
          type: 'array',
          items: { type: 'integer' },
          description: 'For view: the first and the last line, from 1; -1 is the end.',
        },
        file_text: textOf('For create: the whole text of the file.'),
        old_str: textOf('For str_replace: the text to replace, which the file has once.'),
        new_str: textOf('For str_replace: the new text. For insert: the text to insert.'),
        insert_line: { type: 'integer', description: 'For insert: the line to insert behind; 0 is the beginning.' },
        insert_text: textOf('For insert: the text to insert.'),
      },
      required: ['command', 'path'],
    },
  },
];

/** Whether a tool of this type is served: functions, and Anthropic's tools that the client carries out; others are left out. */
export function isServedByMessages(type: string): boolean {
  return type === 'custom' || clientTools.some((tool) => tool.type.test(type));
}

/** The tools of a body. Errors: `missing_required_parameter`, `invalid_value`. */
export function offerMessagesTools(body: Pick<MessagesCountRequest, 'tools'>): ToolOffer {
  const { tools: source } = readJsonSources(body);
  const texts = source === undefined ? [] : itemSources(source);
  const offer = new ToolOffer(source !== undefined);
  (body.tools ?? []).forEach((tool, index) => addTool(offer, tool, `tools[${index}]`, texts[index]));
  return offer;
}

function addTool(offer: ToolOffer, tool: MessagesTool, param: string, source: string | undefined): void {
  const { type, name = '', input_schema: schema } = tool;
  const own = typeof type === 'string' && type !== 'custom' ? type : undefined;
  const known = own === undefined ? undefined : clientTools.find((one) => one.type.test(own));
  if (own !== undefined && known === undefined) return offer.leaveOut(own, tool.name);
  checkToolName(tool.name, `${param}.name`);
  const form = { kind: 'function', name } as const;
  if (known !== undefined) {
    const { description, parameters } = known;
    const shownTool = toFunctionTool({ name, description }, parameters);
    return offer.add({ shown: name, form, tool: shownTool, schemaPath: param });
  }
  if (schema === undefined) throw missingField(`${param}.input_schema`);
  const text = source === undefined ? undefined : toFunctionToolSource(source, 'input_schema');
  offer.add({ shown: name, form, tool: toFunctionTool(tool, schema), text, schemaPath: `${param}.input_schema` });
}
