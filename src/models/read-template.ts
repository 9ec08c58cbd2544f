import { open } from 'node:fs/promises';
import { AppError, describe, suggestion, throwFileError, toErrorData } from '../base/index.js';
import { chatFormats, checkTemplate } from '../chat/index.js';

/** Bytes of a template's file: four for each character that a template may have. */
const MAX_TEMPLATE_BYTES = 2 ** 22;

/**
 * The text of a chat template that a user chose: a chat format, by its name, or a Jinja file. A path has a slash or
 * ends in .jinja: no file is mistaken for a misspelled name. `option` is its name in errors.
 * Errors: `invalid_option`, `template_error`, `template_too_large`, those of reading files.
 */
export async function readTemplate(asked: string, option = 'template'): Promise<string> {
  if (/[/\\]|\.jinja$/i.test(asked)) return readTemplateFile(asked);
  const names = Object.keys(chatFormats);
  const found = Object.entries(chatFormats).find(([name]) => name === asked);
  if (found !== undefined) return found[1].template;
  throw new AppError(
    'invalid_option',
    `${option} is ${describe(asked, true)}; it must be one of ${names.join(', ')}, or a file: a path with a slash, or that ends in .jinja.${suggestion(asked, names)}`,
    { param: option },
  );
}

async function readTemplateFile(path: string): Promise<string> {
  const bytes = await readWhole(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    checkTemplate(text);
    return text;
  } catch (error) {
    const { code, message } = toErrorData(error);
    const isOurs = code === 'template_error' || code === 'template_too_large';
    throw new AppError(isOurs ? code : 'template_error', `${path}: ${isOurs ? message : 'it is no UTF-8 text'}`, {
      path,
    });
  }
}

/** Errors: `template_too_large`, `path_invalid` and the others of reading files. */
async function readWhole(path: string): Promise<Buffer> {
  const file = await open(path).catch(throwFileError('read', path));
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new AppError('path_invalid', `${path} is no file; choose another template`, { path });
    if (found.size > MAX_TEMPLATE_BYTES) {
      const message = `${path} has ${found.size} bytes; the limit of a chat template is ${MAX_TEMPLATE_BYTES}`;
      throw new AppError('template_too_large', message, { path, limit: MAX_TEMPLATE_BYTES });
    }
    return await file.readFile().catch(throwFileError('read', path));
  } finally {
    await file.close();
  }
}
