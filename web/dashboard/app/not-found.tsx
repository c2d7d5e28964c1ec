import { Container } from "@mantine/core";
import { Empty } from "../kit/empty";
import { ButtonLink } from "../kit/links";
import { Page } from "../kit/page";

export function NotFoundPage() {
  return (
    <Container size="sm" py="xl" component="main">
      <Page title="Page not found">
        <Empty
          icon="search"
          title="There is nothing at this address"
          action={<ButtonLink to="/stores">Go to your stores</ButtonLink>}
        >
          The link may be outdated or incomplete.
        </Empty>
      </Page>
    </Container>
  );
}
