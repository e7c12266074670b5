import type { CommandSpec } from './CommandSpec.ts'
import { namingFlags } from './namedBy.ts'

/** The words of a shell's line up to the cursor go to this command, which knows the completions. */
const ask = 'completions words'

const bash = (name: string): string => `
# What only a running engine knows: names of queues, ids of messages.
_${name}_asking()
{
  _${name} "$@"
  ((\${#COMPREPLY[@]} > 0)) && return
  local IFS=$'\\n'
  COMPREPLY=( $("\${COMP_WORDS[0]}" ${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
}

complete -F _${name}_asking ${name}`

const zsh = (name: string): string => `
# What only a running engine knows: names of queues, ids of messages.
_${name}() {
  if [[ "$PREFIX" != -* ]]; then
    local -a known
    known=( \${(f)"$("\${words[1]}" ${ask} "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"} )
    if (( \${#known} > 0 )); then
      compadd -a known
      return
    fi
  fi
  _${name}_static "$@"
}`

const fish = (name: string, flags: ReadonlySet<string>): string => {
  const asks = `-a '(${name} ${ask} (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`
  const isArgument = 'not string match -q -- "-*" (commandline -ct); and not __fish_use_subcommand'
  return [
    '',
    '# What only a running engine knows: names of queues, ids of messages.',
    `complete -c ${name} -f -n '${isArgument}' ${asks}`,
    ...[...flags].map((flag) => `complete -c ${name} -l ${flag} -r -f ${asks}`),
  ].join('\n')
}

/** Lets the completion script of a shell ask the engine as well. */
export const withAsking = (script: string, root: CommandSpec, shell: string): string => {
  const { name } = root
  if (shell === 'bash') return script.replace(`\ncomplete -F _${name} ${name}`, () => bash(name))
  if (shell === 'fish')
    return script.replace(`\n###-end`, () => `${fish(name, new Set(namingFlags(root)))}\n###-end`)
  if (shell !== 'zsh') return script
  const end = '# Handle both direct invocation and autoload'
  return script
    .replace(`\n_${name}() {`, `\n_${name}_static() {`)
    .replace(end, () => `${zsh(name).trimStart()}\n\n${end}`)
}
