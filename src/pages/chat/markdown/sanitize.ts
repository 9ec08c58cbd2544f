import DOMPurify from 'dompurify';
import { toHtml } from './render.js';

/** Attributes without a target: the rule for links does not apply to their values. */
const PLAIN = ['align', 'aria-label', 'class', 'dir', 'rel', 'role', 'start', 'tabindex', 'target', 'title', 'type'];

const TAGS =
  'a blockquote br button code del div em h1 h2 h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul'.split(
    ' ',
  );

/** Only the output of Markdown is allowed: no style, id, event handler, form or image. */
const ALLOWED = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: [...PLAIN, 'href'],
  ADD_URI_SAFE_ATTR: PLAIN,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** Renders one block of Markdown as sanitized nodes. */
export function toNodes(block: string, definitions: string): DocumentFragment {
  return DOMPurify.sanitize(toHtml(block, definitions), ALLOWED);
}
