import { describe, expect, it } from 'vitest';
import { createTemplateRenderer, renderTemplate } from '../../src/chat/index.js';

describe('renderTemplate', () => {
  it('reads CRLF and CR as LF, and drops one newline at the end', () => {
    expect(renderTemplate('a\r\nb\rc\n', {})).toBe('a\nb\nc');
    expect(renderTemplate('{% if true %}\r\nx{% endif %}\r\n', {})).toBe('x');
  });

  it('tells a time that is given, in all codes of Python', () => {
    const format =
      "{{ strftime_now('%Y-%m-%d %H:%M:%S|%A %a %B %b|%j %y %I %p %w %-d %e %F %T|%U %W %V %G|%% %z %q') }}";
    const text =
      '2024-03-07 15:04:09|Thursday Thu March Mar|067 24 03 PM 4 7  7 2024-03-07 15:04:09|09 10 10 2024|%  %q';
    expect(renderTemplate(format, { now: '2024-03-07T15:04:09' })).toBe(text);
    expect(renderTemplate(format, { now: new Date(2024, 2, 7, 15, 4, 9) })).toBe(text);
    expect(() => renderTemplate('x', { now: 'yesterday' })).toThrow(/now must be/);
    expect(() => renderTemplate('x', { now: new Date(Number.NaN) })).toThrow(/now must be/);
  });

  it('strips the given characters, and only those', () => {
    expect(
      renderTemplate("[{{ ' \\n a\\n'.strip('\\n') }}][{{ '\\n a'.lstrip('\\n') }}][{{ 'a.!'.rstrip('!.') }}]", {}),
    ).toBe('[ \n a][ a][a]');
  });

  it('prints as Python does', () => {
    expect(
      renderTemplate("{{ true }} {{ none }} {{ ['a', null_ish] }} {{ {'k': 1.0} }} {{ x }}{{ x ~ 'y' }}", {
        null_ish: null,
      }),
    ).toBe("True None ['a', None] {'k': 1.0} y");
  });

  it('answers template_error for bad syntax, for raise_exception, and for endless recursion', () => {
    const refused = { code: 'template_error' };
    const attempt = (template: string, variables = {}) => {
      try {
        return renderTemplate(template, variables);
      } catch (error) {
        return error;
      }
    };
    expect(attempt('{% if %}')).toMatchObject(refused);
    expect(attempt("{{ raise_exception('roles must alternate') }}")).toMatchObject({
      ...refused,
      message: 'the chat template failed: roles must alternate',
    });
    expect(attempt('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}')).toMatchObject(refused);
    expect(attempt('{% for i in range(1000000000) %}{% endfor %}')).toMatchObject(refused);
    expect(attempt('x', { namespace: 1 })).toMatchObject(refused);
    expect(attempt(' '.repeat(1 << 21))).toMatchObject({ code: 'template_too_large' });
  });

  it('shares nothing between two renderings', () => {
    const renderer = createTemplateRenderer();
    const template = '{% set ns = namespace(n=0) %}{% set ns.n = ns.n + i %}{{ ns.n }}';
    expect([1, 2, 3].map((i) => renderer.render(template, { i }))).toEqual(['1', '2', '3']);
    for (let i = 0; i < 40; i++) expect(renderer.render(`${i} {{ x }}`, { x: i })).toBe(`${i} ${i}`);
  });
});
