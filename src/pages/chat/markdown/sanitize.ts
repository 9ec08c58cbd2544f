import DOMPurify from 'dompurify';
import { toHtml } from './render.js';

/** Attributes that lead nowhere: their values are not held to the rule for links. */
const PLAIN = ['align', 'aria-label', 'class', 'dir', 'rel', 'role', 'start', 'tabindex', 'target', 'title', 'type'];

const TAGS =
  'a blockquote br button code del div em h1 h2 h3 h4 h5 h6 hr li ol p pre span strong table tbody td th thead tr ul'.split(
    ' ',
  );

/** What Markdown becomes, and nothing else: no style, no id, no event, no form, no image. */
const ALLOWED = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: [...PLAIN, 'href'],
  ADD_URI_SAFE_ATTR: PLAIN,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  RETURN_DOM_FRAGMENT: true as const,
};

/** One block of Markdown as nodes that are safe to show. */
export function toNodes(block: string, definitions: string): DocumentFragment {
  return DOMPurify.sanitize(toHtml(block, definitions), ALLOWED);
}
