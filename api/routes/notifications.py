"""The test of a notification, and its deliveries; all else is as of every family."""

from litestar import post
from litestar.response.base import ASGIResponse

from api.http.context import AnyRequest
from api.routes.deliveries import tested
from api.routes.resource import Resource, list_route
from ipam_core.model.webhook import Delivery
from ipam_core.services import notifications
from ipam_core.services.notifications import NOTIFICATIONS
from ipam_core.services.webhooks import DELIVERIES


@post(
    "/notifications/{id:str}/test",
    operation_id="test_notification",
    summary="Send a test message to a notification",
    opt={"may": "operate", "answers": Delivery},
)
async def test_notification(request: AnyRequest) -> ASGIResponse:
    return await tested(request, notifications.test)


HANDLERS = [test_notification, list_route(Resource(DELIVERIES), NOTIFICATIONS)]
