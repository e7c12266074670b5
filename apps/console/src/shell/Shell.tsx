import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { presentToken } from '../data/api.ts'
import { useMoment, useScope } from '../data/moment.ts'
import { useSession } from '../data/session.ts'
import { LiveContext } from '../data/useFeed.ts'
import { PlaybackProvider } from '../replay/usePlayback.tsx'
import { TimeRail } from '../time/TimeRail.tsx'
import { useSending } from '../send/Sending.tsx'
import { switchZone, useZone, zoneName } from '../parts/zone.ts'
import { useAnnounce } from './Announcer.tsx'
import { CommandBar } from './CommandBar.tsx'
import { HelpSheet } from './HelpSheet.tsx'
import { pagesFor } from './pages.ts'
import { nextTheme } from './theme.ts'
import { useKeys } from './useKeys.ts'
import styles from './Shell.module.css'

const keepShared = ((before: { at?: string; queue?: string }) => ({
  ...(before.at === undefined ? {} : { at: before.at }),
  ...(before.queue === undefined ? {} : { queue: before.queue }),
})) as never

/** The frame of every page: navigation, the chosen queue and moment, live or paused. */
export const Shell = () => {
  const session = useSession()
  const pages = useMemo(() => pagesFor(session), [session])
  const navigate = useNavigate()
  const announce = useAnnounce()
  const { at, setAt } = useMoment()
  const { queue, setQueue } = useScope()
  const [isLive, setLive] = useState(true)
  const [open, setOpen] = useState<'help' | 'commands' | undefined>()
  const close = (): void => setOpen(undefined)
  const { begin, refusal } = useSending()
  const compose = (): void =>
    refusal === undefined ? begin(queue === undefined ? {} : { queue }) : announce(refusal)
  const toggle = (): void => {
    setLive(!isLive)
    announce(isLive ? 'Updates paused.' : 'Streaming again.')
  }
  const zone = useZone()
  const changeZone = (): void => {
    switchZone()
    announce(`Times are in ${zone === 'UTC' ? 'local time' : 'UTC'}.`)
  }
  const changeTheme = (): void => announce(`Theme: ${nextTheme()}`)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen('commands')
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  useKeys(
    {
      ...Object.fromEntries(
        pages.map(({ key, to }) => [`g ${key}`, () => void navigate({ to, search: keepShared })]),
      ),
      '?': () => setOpen('help'),
      '/': () =>
        void navigate({ to: '/messages', search: keepShared, state: { isSearching: true } as never }),
      c: compose,
      p: toggle,
      n: () => setAt(undefined),
      t: changeTheme,
      z: changeZone,
    },
    { around: true },
  )
  return (
    <LiveContext value={useMemo(() => ({ isLive, setLive }), [isLive])}>
      <div className={styles['shell']}>
        <a className={styles['skip']} href="#page">
          Skip to the page
        </a>
        <nav className={styles['nav']} aria-label="Pages">
          <div className={styles['brand']}>
            <img src="/assets/mark.svg" alt="" width="22" height="22" />
            <span>Kiroku</span>
          </div>
          <ul>
            {pages.map(({ to, name, icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  search={keepShared}
                  className={styles['link']}
                  activeProps={{ 'data-active': 'true' }}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                >
                  <svg width="18" height="18" viewBox="0 0 20 20" aria-hidden="true">
                    <path
                      d={icon}
                      fill="none"
                      stroke="currentColor"
                      strokeWidth="1.5"
                      strokeLinejoin="round"
                    />
                  </svg>
                  <span>{name}</span>
                </Link>
              </li>
            ))}
          </ul>
          <p className={styles['who']}>
            {session.name} · {session.commands ? session.role : 'read only'}
            <br />
            log {session.log}
          </p>
        </nav>
        <div className={styles['main']}>
          <header className={styles['top']}>
            {queue === undefined ? (
              <span className="quiet">All queues</span>
            ) : (
              <span className={styles['scope']}>
                <span title={queue}>{queue}</span>
                <button
                  type="button"
                  onClick={() => setQueue(undefined)}
                  aria-label={`Stop looking at ${queue} only`}
                >
                  ✕
                </button>
              </span>
            )}
            <button type="button" className={styles['find']} onClick={() => setOpen('commands')}>
              Go to, search, do… <kbd>Ctrl K</kbd>
            </button>
            <button
              type="button"
              className={styles['live']}
              data-live={isLive && at === undefined}
              aria-pressed={!isLive}
              disabled={at !== undefined}
              onClick={toggle}
            >
              {at !== undefined ? 'Past' : isLive ? 'Streaming' : 'Paused'}
            </button>
            <button
              type="button"
              className="button small"
              onClick={changeZone}
              title={
                zone === 'UTC'
                  ? 'Times are in UTC. Show local time  z'
                  : `Times are in local time (${Intl.DateTimeFormat().resolvedOptions().timeZone}). Show UTC  z`
              }
            >
              {zoneName()}
            </button>
            <button
              type="button"
              className="button small"
              onClick={() => setOpen('help')}
              aria-label="Keyboard help"
            >
              ?
            </button>
          </header>
          <PlaybackProvider>
            <TimeRail key={`rail ${zone}`} />
            {/* Times written by the other clock are written again. */}
            <main key={zone} id="page" tabIndex={-1} className={styles['page']}>
              <Outlet />
            </main>
          </PlaybackProvider>
        </div>
        {open === 'help' && <HelpSheet onClose={close} pages={pages} />}
        {open === 'commands' && (
          <CommandBar
            onClose={close}
            pages={pages}
            actions={[
              { text: 'Send a message', run: compose, ...(refusal === undefined ? {} : { refusal }) },
              { text: isLive ? 'Pause updates' : 'Stream updates', run: toggle },
              { text: `Show times in ${zone === 'UTC' ? 'local time' : 'UTC'}`, run: changeZone },
              { text: 'Change theme', run: changeTheme },
              { text: 'Keyboard help', run: () => setOpen('help') },
              { text: 'Back to now', run: () => setAt(undefined) },
              {
                text: 'Copy a link to what I see',
                run: () => {
                  void navigator.clipboard.writeText(location.href)
                  announce('Link copied.')
                },
              },
              ...(session.tokens
                ? [
                    {
                      text: 'Forget my token',
                      run: () => {
                        presentToken(undefined)
                        location.reload()
                      },
                    },
                  ]
                : []),
            ]}
          />
        )}
      </div>
    </LiveContext>
  )
}
