import { describe, expect, it } from 'vitest';
import { completeCommand, isReplCommand } from '../../src/bin/native-engine/repl/commands.js';
import { completeLine, toPlainText } from '../../src/bin/native-engine/repl/line-edit.js';

const tab = (line: string) => completeLine(line, completeCommand(line));

describe('Tab', () => {
  it.each([
    ['/he', '/help'],
    ['/sy', '/system '],
    ['/set te', '/set temperature '],
    ['/set nohi', '/set nohistory'],
    ['/set max', '/set max_tokens '],
  ])('makes of %j %j', (line, text) => {
    expect(tab(line)).toEqual({ type: 'text', text });
  });

  it('lists what could be meant when there is nothing to add', () => {
    expect(tab('/set to')).toEqual({ type: 'text', text: '/set top_' });
    expect(tab('/set top_')).toEqual({ type: 'choices', choices: ['top_k', 'top_p'] });
    expect(tab('/s')).toEqual({ type: 'choices', choices: ['/system', '/set', '/show', '/save', '/stats'] });
  });

  it.each(['/xyz', '/help', '/set temperature 0', '/show '])('has nothing to say of %j', (line) => {
    expect(tab(line)).toEqual({ type: 'choices', choices: [] });
  });
});

describe('a message', () => {
  it.each(['/help', '/system Be brief.\nVery.', '/nonsense'])('like %j is a command', (text) => {
    expect(isReplCommand(text)).toBe(true);
  });

  it.each(['hello', '// a comment\nconst a = 1;', '/etc/passwd\nis a path', ' /help'])('like %j is not', (text) => {
    expect(isReplCommand(text)).toBe(false);
  });
});

describe('a pasted text', () => {
  it('has line feeds as line breaks, tabs, and no control characters', () => {
    expect(toPlainText('a\rb\r\nc\nd\te\x07\x00\x9bf é😀')).toBe('a\nb\nc\nd\tef é😀');
  });
});
