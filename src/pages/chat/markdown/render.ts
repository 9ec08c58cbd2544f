import { Marked, type Tokens } from 'marked';
import { closesFence, openedFence } from './blocks.js';

/** The most characters of a parsed block; a longer one is shown as plain text. A code block may have any length. */
export const MAX_PARSED_CHARS = 50_000;
/** Links that the page may show. */
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;
/** A line that defines the target of named links. */
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S.{0,2000}$/gm;
/** The most link definitions that are used; no text for readers has more. */
const MAX_DEFINITIONS = 100;

const marked = new Marked({
  gfm: true,
  renderer: {
    // HTML from a model is shown as text and never runs.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    code: ({ text, lang = '' }: Tokens.Code) => codeBlock(text, openedFence(`~~~${lang}`)?.language ?? ''),
    link({ href, title, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      return toLink(href, text, title ?? undefined);
    },
    // Loading an image would contact another server and reveal that the user reads the answer.
    image: ({ href, text }: Tokens.Image) => toLink(href, escapeHtml(text === '' ? 'image' : text)),
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
    table(token: Tokens.Table) {
      const row = (cells: readonly Tokens.TableCell[]): string =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>`;
      const body = token.rows.map(row).join('');
      return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead>${row(token.header)}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

/** The lines of a text that define links, for appending to each of its blocks; '' without such lines. */
export function linkDefinitions(text: string): string {
  if (!text.includes(']:')) return '';
  return Array.from(text.matchAll(DEFINITION), ([line]) => line)
    .slice(0, MAX_DEFINITIONS)
    .join('\n');
}

/** Renders one block as unsanitized HTML. `definitions`: link definitions from anywhere in its text. */
export function toHtml(block: string, definitions = ''): string {
  const code = readFence(block);
  if (code !== undefined) return codeBlock(code.text, code.language);
  if (block.length > MAX_PARSED_CHARS) return `<p class="as-written">${escapeHtml(block)}</p>`;
  try {
    return marked.parse(definitions === '' ? block : `${block}\n\n${definitions}`, { async: false });
  } catch {
    // Thousands of nested quotes overflow the stack.
    return `<p class="as-written">${escapeHtml(block)}</p>`;
  }
}

/** Reads a block that is one code block, closed or still growing; undefined for other blocks. */
export function readFence(
  block: string,
): { readonly text: string; readonly language: string; readonly isOpen: boolean } | undefined {
  const end = block.indexOf('\n');
  const head = end === -1 ? block : block.slice(0, end);
  const opened = openedFence(head);
  if (opened === undefined || head.startsWith(' ')) return undefined;
  const body = end === -1 ? '' : block.slice(end + 1);
  const trimmed = body.trimEnd();
  const lastLine = trimmed.slice(trimmed.lastIndexOf('\n') + 1);
  const isClosed = closesFence(lastLine, opened.marker);
  if (!isClosed && hasClosing(body, opened.marker)) return undefined;
  const text = isClosed ? trimmed.slice(0, Math.max(0, trimmed.length - lastLine.length - 1)) : body;
  // A second fence or text after the first means that this is not one code block.
  if (isClosed && hasClosing(text, opened.marker)) return undefined;
  return { text, language: opened.language, isOpen: !isClosed };
}

function hasClosing(body: string, marker: string): boolean {
  return body.includes(marker) && body.split('\n').some((line) => closesFence(line.replace(/\r$/, ''), marker));
}

/** A link with an allowed target. Other links become their text. */
function toLink(href: string, html: string, title?: string): string {
  if (!SAFE_LINK.test(href)) return html;
  const shown = title === undefined ? '' : ` title="${escapeHtml(title)}"`;
  return `<a href="${escapeHtml(href)}"${shown} target="_blank" rel="noopener noreferrer nofollow">${html}</a>`;
}

function codeBlock(text: string, language: string): string {
  const name = language === '' ? 'text' : escapeHtml(language);
  return (
    `<div class="code" dir="ltr"><div class="code-bar"><span class="code-language">${name}</span>` +
    `<button type="button" class="code-copy">Copy</button></div>` +
    `<pre tabindex="0" role="group" aria-label="Code, ${name}"><code>${escapeHtml(text)}</code></pre></div>`
  );
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
