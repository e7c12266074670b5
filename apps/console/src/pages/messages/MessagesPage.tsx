/** Messages. */
export const MessagesPage = () => (
  <div className="page">
    <h1>Messages</h1>
  </div>
)
