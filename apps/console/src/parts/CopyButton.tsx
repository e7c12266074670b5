import { useAnnounce } from '../shell/Announcer.tsx'

/** Copies a text, and says so. */
export const CopyButton = ({ text, children }: { readonly text: string; readonly children: string }) => {
  const announce = useAnnounce()
  return (
    <button
      type="button"
      className="button small"
      title={text.length <= 200 ? text : undefined}
      onClick={() => {
        navigator.clipboard.writeText(text).then(
          () => announce('Copied.'),
          () => announce('The browser did not allow copying.'),
        )
      }}
    >
      {children}
    </button>
  )
}
