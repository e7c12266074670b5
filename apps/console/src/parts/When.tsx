import { useMoment } from '../data/moment.ts'
import { useMomentTime } from '../time/useSpan.ts'
import { ago, time } from './format.ts'

/** How long ago something was, as of the moment that is looked at; the time itself on hover. */
export const When = ({ at }: { readonly at: number }) => {
  const { at: asked } = useMoment()
  const then = useMomentTime()
  const now = asked === undefined ? Date.now() : then
  return (
    <time dateTime={new Date(at).toISOString()} title={`${time(at)} UTC`}>
      {now === undefined ? time(at) : ago(at, Math.max(at, now))}
    </time>
  )
}
