import { Container } from "@mantine/core";
import { Empty } from "../kit/empty";
import { ButtonLink } from "../kit/links";
import { Page } from "../kit/page";

export function NotFoundPage() {
  return (
    <Container size="sm" py="xl" component="main">
      <Page title="There is no such page">
        <Empty
          icon="search"
          title="Nothing is at this address"
          action={<ButtonLink to="/stores">Go to your stores</ButtonLink>}
        >
          The link may be old, or a letter of it got lost.
        </Empty>
      </Page>
    </Container>
  );
}
