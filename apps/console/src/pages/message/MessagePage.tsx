/** Message. */
export const MessagePage = () => (
  <div className="page">
    <h1>Message</h1>
  </div>
)
