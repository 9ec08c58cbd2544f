/**
 * The beginning of a template whose model has no system turn and needs alternating turns. `system` is the text of a
 * first system message or none; `turns` are the others, of which user and assistant alternate.
 */
export const alternatingTurns = String.raw`
{%- set has_system = messages[0].role == 'system' %}
{%- set system = messages[0].content if has_system else none %}
{%- set turns = messages[1:] if has_system else messages %}
{%- for message in turns %}
    {%- if message.role != ('user' if loop.index0 % 2 == 0 else 'assistant') %}
        {{- raise_exception('user and assistant must take turns in this chat format, after at most one system message; turn ' ~ loop.index ~ ' is of ' ~ message.role) }}
    {%- endif %}
{%- endfor %}`;

/** The beginning of a template that has turns of these three roles alone. */
export const knownRoles = String.raw`
{%- for message in messages %}
    {%- if message.role not in ['system', 'user', 'assistant'] %}
        {{- raise_exception('this chat format has system, user and assistant turns; turn ' ~ loop.index ~ ' is of ' ~ message.role) }}
    {%- endif %}
{%- endfor %}`;
