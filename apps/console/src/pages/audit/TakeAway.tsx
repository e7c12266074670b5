import type { Act } from '@kiroku/audit'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { count } from '../../parts/format.ts'
import { saveFile } from '../../parts/saveFile.ts'
import { useAnnounce } from '../../shell/Announcer.tsx'
import { actsAsCsv, actsAsNdjson, actsCommand } from './exportActs.ts'

/** Exports what is shown: as a file, or as the command that prints it. */
export const TakeAway = ({
  acts,
  asked,
}: {
  readonly acts: readonly Act[]
  readonly asked: Parameters<typeof actsCommand>[0]
}) => {
  const announce = useAnnounce()
  const save = (ending: string, text: string, type?: string): void => {
    saveFile(`kiroku-acts.${ending}`, text, type)
    announce(`${count(acts.length)} acts saved as ${ending}.`)
  }
  return (
    <div className="row">
      <button
        type="button"
        className="button small"
        disabled={acts.length === 0}
        onClick={() => save('ndjson', actsAsNdjson(acts))}
      >
        Save as ndjson
      </button>
      <button
        type="button"
        className="button small"
        disabled={acts.length === 0}
        onClick={() => save('csv', actsAsCsv(acts), 'text/csv')}
      >
        Save as CSV
      </button>
      <CopyButton text={actsCommand(asked)}>Copy as command</CopyButton>
    </div>
  )
}
